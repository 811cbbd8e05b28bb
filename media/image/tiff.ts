import { closeSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { MIB } from '../../server/contract/limits.ts';
import type { Size } from '../../server/contract/media.ts';

export type TiffPicture = Size & {
  /** A byte each for red, green, blue and, with four, transparency. */
  channels: 3 | 4;
  /** How it is to be shown, as in EXIF, 1 to 8. */
  orientation: number;
  /** An ICC profile; null for sRGB. */
  profile: Uint8Array | null;
};

/** Pixels in rows from the top: `stride` bytes from the start of one to the start of the next. */
export type Rows = Size & { data: Uint8Array; stride: number };
export type Area = Size & { left: number; top: number };

const HEADER_BYTES = 8;
const ENTRY_BYTES = 12;
/** The types of values. */
const [SHORT, LONG, UNDEFINED] = [3, 4, 7];
const VALUE_BYTES: Record<number, number> = { [SHORT]: 2, [LONG]: 4, [UNDEFINED]: 1 };
/** A reader holds a strip in memory. */
const STRIP_BYTES = MIB;

type Entry = [tag: number, type: number, values: ArrayLike<number>];

/**
 * An uncompressed TIFF 6.0 that is written piece by piece, and is black where nothing was written. sharp reads
 * it together with the profile; given raw pixels it takes none.
 */
export class TiffFile {
  private readonly file: number;
  private readonly rowBytes: number;
  private readonly start: number;

  /** Makes a new local file. */
  constructor(
    path: string,
    readonly picture: TiffPicture,
  ) {
    this.rowBytes = picture.width * picture.channels;
    const header = headOf(picture);
    this.start = header.length;
    this.file = openSync(path, 'wx', 0o600);
    this.put(header, 0);
    ftruncateSync(this.file, this.start + picture.height * this.rowBytes);
  }

  /** Writes rows with their upper left corner at a place, as far as they are within the picture. */
  write({ width, height, data, stride }: Rows, { left, top }: { left: number; top: number }): void {
    const { channels } = this.picture;
    const skipped = Math.max(0, -left);
    const columns = Math.min(width - skipped, this.picture.width - left - skipped);
    const first = Math.max(0, -top);
    const last = Math.min(height, this.picture.height - top);
    if (columns <= 0) return;
    for (let row = first; row < last; row += 1) {
      const from = row * stride + skipped * channels;
      const to = this.start + (top + row) * this.rowBytes + (left + skipped) * channels;
      this.put(data.subarray(from, from + columns * channels), to);
    }
  }

  close(): void {
    closeSync(this.file);
  }

  private put(bytes: Uint8Array, position: number): void {
    for (let done = 0; done < bytes.length; ) {
      done += writeSync(this.file, bytes, done, bytes.length - done, position + done);
    }
  }
}

/** Returns all that stands before the pixels: the header, the entries, and the values that don't fit into one. */
function headOf({ width, height, channels, orientation, profile }: TiffPicture): Buffer {
  const rowBytes = width * channels;
  const stripRows = Math.max(1, Math.floor(STRIP_BYTES / rowBytes));
  const strips = Array.from(
    { length: Math.ceil(height / stripRows) },
    (_, at) => Math.min(stripRows, height - at * stripRows) * rowBytes,
  );
  const offsets = new Array<number>(strips.length).fill(0);
  const entries: Entry[] = [
    [256, LONG, [width]],
    [257, LONG, [height]],
    [258, SHORT, new Array<number>(channels).fill(8)],
    // No compression; RGB.
    [259, SHORT, [1]],
    [262, SHORT, [2]],
    [273, LONG, offsets],
    [274, SHORT, [orientation]],
    [277, SHORT, [channels]],
    [278, LONG, [stripRows]],
    [279, LONG, strips],
    // The fourth channel is transparency that the colours are not multiplied with.
    ...(channels === 4 ? [[338, SHORT, [2]] satisfies Entry] : []),
    ...(profile ? [[34675, UNDEFINED, profile] satisfies Entry] : []),
  ];
  const size = (values: ArrayLike<number>, type: number) =>
    values.length * (VALUE_BYTES[type] as number);
  const tableEnd = HEADER_BYTES + 2 + entries.length * ENTRY_BYTES + 4;
  const outside = entries.map(([, type, values]) => size(values, type)).filter((one) => one > 4);
  const end = tableEnd + outside.reduce((sum, one) => sum + one + (one % 2), 0);
  for (const at of strips.keys()) offsets[at] = end + at * stripRows * rowBytes;

  const buffer = Buffer.alloc(end);
  buffer.write('II*\0', 'latin1');
  buffer.writeUInt32LE(HEADER_BYTES, 4);
  buffer.writeUInt16LE(entries.length, HEADER_BYTES);
  let free = tableEnd;
  for (const [index, [tag, type, values]] of entries.entries()) {
    const at = HEADER_BYTES + 2 + index * ENTRY_BYTES;
    const bytes = size(values, type);
    buffer.writeUInt16LE(tag, at);
    buffer.writeUInt16LE(type, at + 2);
    buffer.writeUInt32LE(values.length, at + 4);
    const start = bytes > 4 ? free : at + 8;
    if (bytes > 4) {
      buffer.writeUInt32LE(free, at + 8);
      free += bytes + (bytes % 2);
    }
    const each = VALUE_BYTES[type] as number;
    for (let i = 0; i < values.length; i += 1) {
      buffer.writeUIntLE(values[i] as number, start + i * each, each);
    }
  }
  return buffer;
}
