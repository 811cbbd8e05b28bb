import { isTurned, orientationExif } from './orientation.ts';
import type { Piece } from './piece-writer.ts';
import { damaged, exactly, type RandomAccess, within } from './random-access.ts';

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
export function* planJpeg(file: RandomAccess, orientation: number): Iterable<Piece | null> {
  if (exactly(file, 0, 2).readUInt16BE(0) !== 0xff00 + SOI) throw damaged();
  yield { start: 0, end: 2 };
  let owesExif = isTurned(orientation);
  let position = 2;
  while (true) {
    position = yield* findMarker(file, position, isCode);
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
      yield keptMetadata(file, marker, position, end);
    } else {
      if (marker === SOS) end = yield* findMarker(file, end, endsScan);
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

/** The 0xFF before a marker's code can be repeated; 0xFF 0 is data. */
const isCode = (byte: number) => byte !== 0 && byte !== 0xff;

/** B.1.1.5: within coded data, 0xFF is followed by 0 or is a restart marker. */
const endsScan = (code: number) => isCode(code) && !isRestart(code);

/**
 * Returns the position of the last 0xFF before the next marker whose code is wanted. Between segments, the
 * bytes before it are thereby dropped, as libjpeg does ("extraneous bytes before marker").
 */
function* findMarker(
  file: RandomAccess,
  from: number,
  isWanted: (code: number) => boolean,
): Generator<null, number> {
  for (let position = from; ; ) {
    const bytes = file.peek(position, 2);
    const last = bytes.length - 1;
    if (last < 1) throw damaged();
    for (let at = bytes.indexOf(0xff); at >= 0 && at < last; at = bytes.indexOf(0xff, at + 1)) {
      if (isWanted(bytes.readUInt8(at + 1))) return position + at;
    }
    yield null;
    // The last byte is read again, because it may be the first half of a marker.
    position += last;
  }
}

function keptMetadata(
  file: RandomAccess,
  marker: number,
  start: number,
  end: number,
): Piece | null {
  const name = exactly(file, start + 4, Math.min(12, end - start - 4)).toString('latin1');
  if (marker === APP0 && name.startsWith('JFIF\0') && end - start >= 18) {
    const header = Buffer.from(exactly(file, start, 18));
    header.writeUInt16BE(16, 2);
    header.writeUInt16BE(0, 16);
    return { bytes: header };
  }
  const isColour =
    (marker === APP2 && name.startsWith('ICC_PROFILE\0')) ||
    (marker === APP14 && name.startsWith('Adobe'));
  return isColour ? { start, end } : null;
}

function exifSegment(orientation: number): Buffer {
  const exif = orientationExif(orientation);
  const head = Buffer.from([0xff, 0xe1, 0, 0, ...Buffer.from('Exif\0\0', 'latin1')]);
  head.writeUInt16BE(head.length - 2 + exif.length, 2);
  return Buffer.concat([head, exif]);
}
