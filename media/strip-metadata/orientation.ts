/**
 * Returns the smallest EXIF there is (TIFF 6.0, little-endian): one directory with one entry, Orientation.
 * It replaces the original EXIF with its place, time, device and small uncropped picture.
 */
export function orientationExif(orientation: number): Buffer {
  const bytes = Buffer.alloc(26);
  bytes.write('II', 0, 'latin1');
  bytes.writeUInt16LE(42, 2);
  bytes.writeUInt32LE(8, 4);
  bytes.writeUInt16LE(1, 8);
  bytes.writeUInt16LE(0x0112, 10);
  bytes.writeUInt16LE(3, 12);
  bytes.writeUInt32LE(1, 14);
  bytes.writeUInt16LE(orientation, 18);
  return bytes;
}

/** Whether a file must declare its orientation; 1 is upright, and numbers outside of 2 to 8 have no meaning. */
export const isTurned = (orientation: number) => orientation >= 2 && orientation <= 8;
