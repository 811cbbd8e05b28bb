import { isTurned, orientationExif } from './orientation.ts';
import { damaged, exactly, type Piece, type RandomAccess, within } from './pieces.ts';

/** The flags of VP8X (RFC 9649, 2.7). */
const HAS_EXIF = 0x08;
const HAS_XMP = 0x04;

const KEPT_CHUNKS = new Set(['VP8 ', 'VP8L', 'VP8X', 'ALPH', 'ANIM', 'ANMF', 'ICCP']);

/**
 * Plans a WebP (RFC 9649). It drops EXIF, XMP, unknown chunks and everything after the RIFF container, and
 * adjusts the size and the flags of VP8X. The orientation of a rotated picture is written as a new EXIF.
 */
export function* planWebp(file: RandomAccess, orientation: number): Iterable<Piece> {
  const { chunks, isExtended } = keptChunks(file);
  const exif = isExtended && isTurned(orientation) ? exifChunk(orientation) : Buffer.alloc(0);
  const size = chunks.reduce((sum, { start, end }) => sum + padded(end - start), exif.length);
  const head = Buffer.from('RIFF\0\0\0\0WEBP', 'latin1');
  head.writeUInt32LE(4 + size, 4);
  yield { bytes: head };
  for (const { type, start, end } of chunks) {
    if (type === 'VP8X') {
      const chunk = exactly(file, start, end - start);
      const flags = chunk.readUInt8(8) & ~(HAS_EXIF | HAS_XMP);
      chunk.writeUInt8(flags | (exif.length > 0 ? HAS_EXIF : 0), 8);
      yield { bytes: chunk };
    } else {
      yield { start, end };
      if ((end - start) % 2 === 1) yield { bytes: new Uint8Array(1) };
    }
  }
  if (exif.length > 0) yield { bytes: exif };
}

type Chunk = { type: string; start: number; end: number };

/** Ranges leave out the padding byte of odd chunks, which the last chunk of a file may lack. */
function keptChunks(file: RandomAccess): { chunks: Chunk[]; isExtended: boolean } {
  const head = exactly(file, 0, 12);
  const isWebp = head.toString('latin1', 0, 4) === 'RIFF' && head.toString('latin1', 8) === 'WEBP';
  if (!isWebp) throw damaged();
  const limit = within(file, 8 + head.readUInt32LE(4));
  const chunks: Chunk[] = [];
  for (let start = 12; start + 8 <= limit; ) {
    const chunk = exactly(file, start, 8);
    const type = chunk.toString('latin1', 0, 4);
    const end = start + 8 + chunk.readUInt32LE(4);
    if (end > limit || (type === 'VP8X' && end - start !== 18)) throw damaged();
    if (KEPT_CHUNKS.has(type)) chunks.push({ type, start, end });
    start += padded(end - start);
  }
  if (chunks.length === 0) throw damaged();
  return { chunks, isExtended: chunks[0]?.type === 'VP8X' };
}

const padded = (length: number) => length + (length % 2);

function exifChunk(orientation: number): Buffer {
  const exif = orientationExif(orientation);
  const head = Buffer.from('EXIF\0\0\0\0', 'latin1');
  head.writeUInt32LE(exif.length, 4);
  return Buffer.concat([head, exif]);
}
