import { isTurned, orientationExif } from './orientation.ts';
import type { Piece } from './piece-writer.ts';
import { damaged, exactly, type RandomAccess, within } from './random-access.ts';

/** The flags of VP8X (RFC 9649, 2.7). */
const HAS_EXIF = 0x08;
const HAS_XMP = 0x04;

const KEPT_CHUNKS = new Set(['VP8 ', 'VP8L', 'VP8X', 'ALPH', 'ANIM', 'ANMF', 'ICCP']);

/**
 * Plans a WebP (RFC 9649). It drops EXIF, XMP, unknown chunks and everything after the RIFF container, and
 * adjusts the size and the flags of VP8X. The orientation of a rotated picture is written as a new EXIF. It
 * walks over the chunks twice instead of keeping a list of them in memory.
 */
export function* planWebp(file: RandomAccess, orientation: number): Iterable<Piece | null> {
  let size = 0;
  let firstType: string | null = null;
  for (const chunk of chunksOf(file)) {
    yield null;
    if (!KEPT_CHUNKS.has(chunk.type)) continue;
    firstType ??= chunk.type;
    size += padded(chunk.end - chunk.start);
  }
  if (firstType === null) throw damaged();
  const isExtended = firstType === 'VP8X';
  const exif = isExtended && isTurned(orientation) ? exifChunk(orientation) : Buffer.alloc(0);
  const head = Buffer.from('RIFF\0\0\0\0WEBP', 'latin1');
  head.writeUInt32LE(4 + size + exif.length, 4);
  yield { bytes: head };
  for (const { type, start, end } of chunksOf(file)) {
    if (type === 'VP8X') {
      const chunk = Buffer.from(exactly(file, start, end - start));
      const flags = chunk.readUInt8(8) & ~(HAS_EXIF | HAS_XMP);
      chunk.writeUInt8(flags | (exif.length > 0 ? HAS_EXIF : 0), 8);
      yield { bytes: chunk };
    } else {
      yield KEPT_CHUNKS.has(type) ? { start, end } : null;
      if (KEPT_CHUNKS.has(type) && (end - start) % 2 === 1) yield { bytes: new Uint8Array(1) };
    }
  }
  if (exif.length > 0) yield { bytes: exif };
}

type Chunk = { type: string; start: number; end: number };

/** Ranges leave out the padding byte of odd chunks, which the last chunk of a file may lack. */
function* chunksOf(file: RandomAccess): Iterable<Chunk> {
  const head = exactly(file, 0, 12);
  const isWebp = head.toString('latin1', 0, 4) === 'RIFF' && head.toString('latin1', 8) === 'WEBP';
  if (!isWebp) throw damaged();
  const limit = within(file, 8 + head.readUInt32LE(4));
  for (let start = 12; start + 8 <= limit; ) {
    const chunk = exactly(file, start, 8);
    const type = chunk.toString('latin1', 0, 4);
    const end = start + 8 + chunk.readUInt32LE(4);
    if (end > limit || (type === 'VP8X' && end - start !== 18)) throw damaged();
    yield { type, start, end };
    start += padded(end - start);
  }
}

const padded = (length: number) => length + (length % 2);

function exifChunk(orientation: number): Buffer {
  const exif = orientationExif(orientation);
  const head = Buffer.from('EXIF\0\0\0\0', 'latin1');
  head.writeUInt32LE(exif.length, 4);
  return Buffer.concat([head, exif]);
}
