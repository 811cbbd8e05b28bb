import { Readable } from 'node:stream';
import { constants, crc32, createDeflate, createInflate } from 'node:zlib';
import { type Piece, PieceWriter } from './pieces.ts';
import { planPng } from './png.ts';
import {
  damaged,
  exactly,
  openRandomAccess,
  type RandomAccess,
  WINDOW_BYTES,
} from './random-access.ts';

import { MAX_STEPS } from './run-steps.ts';

/** Samples per pixel by colour type (W3C PNG, 11.2.1). */
const SAMPLES: Record<number, number> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
/** The first column, the first row and the distances of Adam7's passes (8.1). */
const ADAM7 = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

type Chunk = { type: string; start: number; dataEnd: number };

/**
 * Writes a PNG that ends early, or is damaged behind its beginning, as a whole one: with the rows that can be
 * unpacked, and zeros for the others. libvips must not read such a file itself, because it leaves rows that
 * it could not read as they are in its memory, which may be those of another image. Throws a permanent
 * MediaFailure where not even one row can be unpacked, and the signal's reason after an abort.
 */
export async function mendPng(from: string, to: string, signal: AbortSignal): Promise<void> {
  const file = openRandomAccess(from);
  try {
    const writer = new PieceWriter(from, to);
    try {
      for (const piece of headOf(file)) writer.write(piece);
      const packed = createDeflate({ chunkSize: WINDOW_BYTES });
      Readable.from(wholeRows(file, signal))
        .on('error', (error) => packed.destroy(error))
        .pipe(packed);
      for await (const bytes of packed) writer.write({ bytes: chunkOf('IDAT', bytes) });
      writer.write({ bytes: chunkOf('IEND', Buffer.alloc(0)) });
      writer.flush();
    } finally {
      writer.close();
    }
  } finally {
    file.close();
  }
}

/** Yields the signature and the chunks that are kept before the pixels, as those of a still image. */
function* headOf(file: RandomAccess): Iterable<Piece> {
  let steps = 0;
  for (const piece of planPng(file, 1)) {
    steps += 1;
    if (steps > MAX_STEPS) throw damaged();
    if (piece === null || 'bytes' in piece) continue;
    const type = exactly(file, piece.start, 8).toString('latin1', 4);
    if (type === 'IDAT') return;
    if (type !== 'acTL' && type !== 'fcTL') yield piece;
  }
}

/** Yields the bytes of all rows: those that can be unpacked, then zeros. */
async function* wholeRows(file: RandomAccess, signal: AbortSignal): AsyncIterable<Uint8Array> {
  const header = exactly(file, 16, 13);
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const bits = header.readUInt8(8) * (SAMPLES[header.readUInt8(9)] ?? 0);
  const rowBytes = (columns: number) => (columns === 0 ? 0 : 1 + Math.ceil((columns * bits) / 8));
  const passes = header.readUInt8(12) === 1 ? ADAM7 : [[0, 0, 1, 1] as const];
  const total = passes.reduce((sum, [left, top, right, down]) => {
    return sum + rowBytes(Math.ceil((width - left) / right)) * Math.ceil((height - top) / down);
  }, 0);
  let left = total;
  for await (const bytes of unpacked(file)) {
    signal.throwIfAborted();
    yield bytes.subarray(0, left);
    left -= Math.min(left, bytes.length);
    if (left === 0) return;
  }
  if (total - left < rowBytes(width)) throw damaged();
  for (; left > 0; left -= Math.min(left, WINDOW_BYTES)) {
    signal.throwIfAborted();
    yield new Uint8Array(Math.min(left, WINDOW_BYTES));
  }
}

/** Yields what zlib unpacks before the end or the first damage. */
async function* unpacked(file: RandomAccess): AsyncIterable<Uint8Array> {
  // With Z_SYNC_FLUSH a stream may end early.
  const inflate = createInflate({ chunkSize: WINDOW_BYTES, finishFlush: constants.Z_SYNC_FLUSH });
  Readable.from(packedPixels(file)).pipe(inflate);
  try {
    yield* inflate;
  } catch {
    // What came before is used.
  }
}

function* packedPixels(file: RandomAccess): Iterable<Uint8Array> {
  for (const { type, start, dataEnd } of chunksOf(file)) {
    if (type !== 'IDAT') continue;
    for (let at = start; at < dataEnd; at += WINDOW_BYTES)
      yield file.read(at, Math.min(WINDOW_BYTES, dataEnd - at));
  }
}

/** Returns the first `MAX_STEPS` chunks, of which the last may end early. */
function* chunksOf(file: RandomAccess): Iterable<Chunk> {
  for (let at = 8, steps = 0; at + 8 < file.size && steps < MAX_STEPS; steps += 1) {
    const head = exactly(file, at, 8);
    const [start, length] = [at + 8, head.readUInt32BE(0)];
    yield { type: head.toString('latin1', 4), start, dataEnd: Math.min(file.size, start + length) };
    at = start + length + 4;
  }
}

function chunkOf(type: string, data: Uint8Array): Buffer {
  const chunk = Buffer.alloc(data.length + 12);
  chunk.writeUInt32BE(data.length, 0);
  chunk.write(type, 4, 'latin1');
  chunk.set(data, 8);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, -4)), data.length + 8);
  return chunk;
}
