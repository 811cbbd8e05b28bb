import { isTurned, orientationExif } from './orientation.ts';
import { damaged, exactly, type Piece, type RandomAccess, within } from './pieces.ts';

/** ITU-T T.81, table B.1. */
const SOI = 0xd8;
const EOI = 0xd9;
const SOS = 0xda;
const APP0 = 0xe0;
const APP2 = 0xe2;
const APP14 = 0xee;
const APP15 = 0xef;
const COM = 0xfe;

const isRestart = (marker: number) => marker >= 0xd0 && marker <= 0xd7;
const isMetadata = (marker: number) => (marker >= APP0 && marker <= APP15) || marker === COM;

/**
 * Plans a JPEG (ITU-T T.81). It keeps the application segments that change how pixels look: JFIF (without
 * its thumbnail), ICC profiles and Adobe's colour transform. It drops EXIF, XMP, IPTC, comments, the
 * multi-picture index and all unknown segments, also between the scans of a progressive file, and
 * everything after the end of the image, where phones put videos, depth maps and gain maps (an HDR photo
 * keeps its standard rendering).
 */
export function* planJpeg(file: RandomAccess, orientation: number): Iterable<Piece> {
  if (exactly(file, 0, 2).readUInt16BE(0) !== 0xff00 + SOI) throw damaged();
  yield { start: 0, end: 2 };
  let owesExif = isTurned(orientation);
  let position = 2;
  while (true) {
    position = nextMarker(file, position);
    const marker = exactly(file, position, 2).readUInt8(1);
    if (owesExif && marker !== APP0) {
      owesExif = false;
      yield { bytes: exifSegment(orientation) };
    }
    if (marker === EOI) {
      yield { start: position, end: position + 2 };
      return;
    }
    if (marker === SOI) throw damaged();
    if (isRestart(marker) || marker === 0x01) {
      yield { start: position, end: position + 2 };
      position += 2;
      continue;
    }
    let end = segmentEnd(file, position);
    if (isMetadata(marker)) {
      const piece = keptMetadata(file, marker, position, end);
      if (piece) yield piece;
    } else {
      if (marker === SOS) end = endOfScan(file, end);
      yield { start: position, end };
    }
    position = end;
  }
}

function segmentEnd(file: RandomAccess, position: number): number {
  const length = exactly(file, position + 2, 2).readUInt16BE(0);
  if (length < 2) throw damaged();
  return within(file, position + 2 + length);
}

/**
 * Returns the position of the last 0xFF before the code of the next marker. Other bytes are skipped and
 * thereby dropped, as libjpeg does ("extraneous bytes before marker").
 */
function nextMarker(file: RandomAccess, from: number): number {
  for (let position = from; ; ) {
    const bytes = file.read(position, 4096);
    const offset = bytes.findIndex((byte, index) => byte === 0xff && isCode(bytes[index + 1]));
    if (offset >= 0) return position + offset;
    if (bytes.length < 2) throw damaged();
    position += bytes.length - 1;
  }
}

/** The 0xFF before a marker's code can be repeated; 0xFF 0 is data. */
const isCode = (byte = 0) => byte !== 0 && byte !== 0xff;

/** B.1.1.5: within coded data, 0xFF is followed by 0 or is a restart marker. */
function endOfScan(file: RandomAccess, from: number): number {
  for (let position = from; ; ) {
    const bytes = file.read(position, 65_536);
    if (bytes.length < 2) throw damaged();
    for (let at = bytes.indexOf(0xff); at >= 0; at = bytes.indexOf(0xff, at + 1)) {
      const code = bytes[at + 1];
      if (code === undefined) break;
      if (isCode(code) && !isRestart(code)) return position + at;
    }
    // The last byte is read again, because it may be the first half of a marker.
    position += bytes.length - 1;
  }
}

function keptMetadata(
  file: RandomAccess,
  marker: number,
  start: number,
  end: number,
): Piece | undefined {
  const name = file.read(start + 4, Math.min(12, end - start - 4));
  const begins = (text: string) => Buffer.from(name).toString('latin1').startsWith(text);
  if (marker === APP0 && begins('JFIF\0') && end - start >= 18) {
    const header = exactly(file, start, 18);
    header.writeUInt16BE(16, 2);
    header.writeUInt16BE(0, 16);
    return { bytes: header };
  }
  const isColour =
    (marker === APP2 && begins('ICC_PROFILE\0')) || (marker === APP14 && begins('Adobe'));
  return isColour ? { start, end } : undefined;
}

function exifSegment(orientation: number): Buffer {
  const exif = orientationExif(orientation);
  const head = Buffer.from([0xff, 0xe1, 0, 0, ...Buffer.from('Exif\0\0', 'latin1')]);
  head.writeUInt16BE(head.length - 2 + exif.length, 2);
  return Buffer.concat([head, exif]);
}
