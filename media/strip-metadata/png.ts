import { crc32 } from 'node:zlib';
import { isTurned, orientationExif } from './orientation.ts';
import type { Piece } from './piece-writer.ts';
import { damaged, exactly, type RandomAccess, within } from './random-access.ts';

const SIGNATURE = '89504e470d0a1a0a';
const MAX_LENGTH = 2 ** 31 - 1;

/** Critical chunks, and those that change how pixels look or, for APNG, when they are shown. */
export const KEPT_CHUNKS: ReadonlySet<string> = new Set(
  'IHDR PLTE IDAT IEND tRNS gAMA cHRM sRGB iCCP sBIT bKGD pHYs hIST cICP acTL fcTL fdAT'.split(' '),
);

/**
 * Plans a PNG or APNG (W3C PNG, third edition). It drops texts, times, XMP, EXIF and unknown chunks, and
 * everything after IEND. An EXIF that rotates the picture is replaced by one with the orientation only.
 */
export function* planPng(file: RandomAccess, orientation: number): Iterable<Piece | null> {
  if (exactly(file, 0, 8).toString('hex') !== SIGNATURE) throw damaged();
  yield { start: 0, end: 8 };
  for (let position = 8, type = ''; type !== 'IEND'; ) {
    const head = exactly(file, position, 8);
    const length = head.readUInt32BE(0);
    type = head.toString('latin1', 4, 8);
    const isFirst = position === 8;
    if (length > MAX_LENGTH || isFirst !== (type === 'IHDR')) throw damaged();
    const end = within(file, position + 12 + length);
    yield KEPT_CHUNKS.has(type) ? { start: position, end } : null;
    if (isFirst && isTurned(orientation)) yield { bytes: exifChunk(orientation) };
    position = end;
  }
}

function exifChunk(orientation: number): Buffer {
  const exif = orientationExif(orientation);
  const body = Buffer.concat([Buffer.from('eXIf', 'latin1'), exif]);
  const chunk = Buffer.alloc(body.length + 8);
  chunk.writeUInt32BE(exif.length, 0);
  body.copy(chunk, 4);
  chunk.writeUInt32BE(crc32(body), body.length + 4);
  return chunk;
}
