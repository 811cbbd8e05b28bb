import { Readable } from 'node:stream';
import { crc32, createDeflate } from 'node:zlib';
import { type Piece, PieceWriter } from './piece-writer.ts';
import { KEPT_CHUNKS } from './png.ts';
import {
  damaged,
  exactly,
  openRandomAccess,
  type RandomAccess,
  WINDOW_BYTES,
  within,
} from './random-access.ts';
import { chunksOf, unpackPixels } from './unpack-png.ts';

const ANIMATION_CHUNKS = new Set(['acTL', 'fcTL']);
/** Samples per pixel by colour type (W3C PNG, 11.2.1). */
const SAMPLES: Record<number, number> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
/** The number of the last filter of a row (9.2). */
const LAST_FILTER = 4;
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

/**
 * Writes a PNG that ends early, or is damaged behind its beginning, as a whole one: with the rows that can be
 * unpacked, and zeros for the others. libvips must not read such a file itself, because it leaves rows that
 * it could not read as they are in its memory, which may be those of another image. Throws a permanent
 * MediaFailure where not even one row can be unpacked, and the signal's reason after an abort.
 */
export async function repairPng(from: string, to: string, signal: AbortSignal): Promise<void> {
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
  yield { start: 0, end: 8 };
  for (const { type, start, dataEnd } of chunksOf(file)) {
    if (type === 'IDAT') return;
    if (KEPT_CHUNKS.has(type) && !ANIMATION_CHUNKS.has(type)) {
      yield { start: start - 8, end: within(file, dataEnd + 4) };
    }
  }
}

/** Yields the bytes of all rows: those that can be unpacked, then zeros. */
async function* wholeRows(file: RandomAccess, signal: AbortSignal): AsyncIterable<Uint8Array> {
  const { passes, fullRow } = layoutOf(exactly(file, 16, 13));
  const total = passes.reduce((sum, { rows, rowBytes }) => sum + rows * rowBytes, 0);
  let left = total;
  for await (const bytes of soundRows(await unpackPixels(file, total, signal), passes)) {
    signal.throwIfAborted();
    yield bytes.subarray(0, left);
    left -= Math.min(left, bytes.length);
    if (left === 0) return;
  }
  if (total - left < fullRow) throw damaged();
  for (; left > 0; left -= Math.min(left, WINDOW_BYTES)) {
    signal.throwIfAborted();
    yield new Uint8Array(Math.min(left, WINDOW_BYTES));
  }
}

type Pass = { rows: number; rowBytes: number };

/** Returns the rows of each pass by the contents of IHDR, and the bytes of a row of all columns. */
function layoutOf(header: Buffer): { passes: Pass[]; fullRow: number } {
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const bits = header.readUInt8(8) * (SAMPLES[header.readUInt8(9)] ?? 0);
  const rowBytes = (columns: number) => (columns === 0 ? 0 : 1 + Math.ceil((columns * bits) / 8));
  const passes = header.readUInt8(12) === 1 ? ADAM7 : [[0, 0, 1, 1] as const];
  return {
    passes: passes.map(([left, top, right, down]) => ({
      rows: Math.ceil((height - top) / down),
      rowBytes: rowBytes(Math.ceil((width - left) / right)),
    })),
    fullRow: rowBytes(width),
  };
}

/** Yields unpacked bytes up to the first row of a filter that does not exist, at which every decoder stops. */
async function* soundRows(unpacked: AsyncIterable<Buffer>, passes: Pass[]): AsyncIterable<Buffer> {
  const rows = rowLengths(passes);
  /** Where the next row begins, from the first of `bytes` on. */
  let next = 0;
  for await (const bytes of unpacked) {
    while (next < bytes.length) {
      if (bytes.readUInt8(next) > LAST_FILTER) {
        yield bytes.subarray(0, next);
        return;
      }
      next += rows.next().value ?? Number.POSITIVE_INFINITY;
    }
    yield bytes;
    next -= bytes.length;
  }
}

function* rowLengths(passes: Pass[]): Generator<number, undefined> {
  for (const { rows, rowBytes } of passes) {
    for (let row = 0; row < rows && rowBytes > 0; row += 1) yield rowBytes;
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
