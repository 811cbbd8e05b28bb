import { Readable } from 'node:stream';
import { constants, createInflate, type Inflate } from 'node:zlib';
import { exactly, type RandomAccess, WINDOW_BYTES } from './random-access.ts';
import { MAX_STEPS } from './run-steps.ts';

type Chunk = { type: string; start: number; dataEnd: number };

/**
 * Unpacks the pixels of a PNG until its end or its first damage, always to the same bytes, of which at least
 * `total` come if there are so many. A stream that fails loses what it has unpacked and nobody has read yet,
 * which differs from run to run. So the damage is found first, and a stream that ends before it unpacks the
 * pixels. Throws the signal's reason after an abort.
 */
export async function unpackPixels(
  file: RandomAccess,
  total: number,
  signal: AbortSignal,
): Promise<AsyncIterable<Buffer>> {
  return unpack(file, { end: await findDamage(file, total, signal) });
}

/**
 * Returns how many bytes of the packed pixels zlib accepts before the first damage, or until it has unpacked
 * `total` bytes. It is fed the bytes after those that it is known to accept in ever smaller pieces.
 */
async function findDamage(file: RandomAccess, total: number, signal: AbortSignal): Promise<number> {
  let sound = 0;
  for (const pieceBytes of [WINDOW_BYTES, 256, 1]) {
    const inflate = unpack(file, { sound, pieceBytes });
    try {
      let left = total;
      for await (const bytes of inflate) {
        left -= bytes.length;
        if (left <= 0 || signal.aborted) break;
      }
      return inflate.bytesWritten;
    } catch {
      sound = inflate.bytesWritten;
    }
    signal.throwIfAborted();
  }
  return sound;
}

type Pieces = {
  /** The bytes of packed pixels after which they end. */
  end?: number;
  /** The bytes after which they are fed in pieces of `pieceBytes`. */
  sound?: number;
  pieceBytes?: number;
};

function unpack(file: RandomAccess, pieces: Pieces): Inflate {
  // With Z_SYNC_FLUSH a stream may end early.
  const inflate = createInflate({ chunkSize: WINDOW_BYTES, finishFlush: constants.Z_SYNC_FLUSH });
  return Readable.from(packedPixels(file, pieces)).pipe(inflate);
}

function* packedPixels(
  file: RandomAccess,
  { end = file.size, sound = end, pieceBytes = WINDOW_BYTES }: Pieces,
): Iterable<Uint8Array> {
  let fed = 0;
  for (const { type, start, dataEnd } of chunksOf(file)) {
    if (type !== 'IDAT') continue;
    for (let at = start; at < dataEnd && fed < end; ) {
      const most = fed < sound ? Math.min(WINDOW_BYTES, sound - fed) : pieceBytes;
      const piece = file.read(at, Math.min(most, dataEnd - at));
      yield piece;
      at += piece.length;
      fed += piece.length;
    }
  }
}

/** Returns the first `MAX_STEPS` chunks, of which the last may end early. */
export function* chunksOf(file: RandomAccess): Iterable<Chunk> {
  for (let at = 8, steps = 0; at + 8 < file.size && steps < MAX_STEPS; steps += 1) {
    const head = exactly(file, at, 8);
    const [start, length] = [at + 8, head.readUInt32BE(0)];
    yield { type: head.toString('latin1', 4), start, dataEnd: Math.min(file.size, start + length) };
    at = start + length + 4;
  }
}
