import { availableParallelism } from 'node:os';
import { MIB } from '../../server/contract/limits.ts';
import type { Size } from '../../server/contract/media.ts';
import { permanentFailure } from '../media-failure.ts';

/* What encoding takes in memory, measured with x264 in one to four sizes of up to 4K and one to eight threads. */

/** With more threads x264 gains little. */
const MAX_THREADS = 8;
const BASE_BYTES = 85 * MIB;
/** For each size: the threads of its encoder and its filters. */
const SIZE_BYTES = 45 * MIB;
/** For each pixel of the source: the frames that its decoder keeps. */
const DECODER_BYTES = 25;
/** For each pixel of a size: the frames that x264 looks ahead at, and those of each further thread. */
const ENCODER_BYTES = 85;
const THREAD_BYTES = 30;

/** The sizes that one ffmpeg process makes of a source. */
export type EncodedSizes = { source: Size; sizes: Size[] };

const pixels = ({ width, height }: Size) => width * height;

/** Returns about how many bytes encoding some sizes takes. */
function encodingBytes({ source, sizes }: EncodedSizes, threads: number): number {
  const encoded = sizes.reduce((sum, size) => sum + pixels(size), 0);
  const perPixel = ENCODER_BYTES + threads * THREAD_BYTES;
  const fixed = BASE_BYTES + sizes.length * SIZE_BYTES;
  return fixed + pixels(source) * DECODER_BYTES + encoded * perPixel;
}

/**
 * Returns how many threads each encoder can have within `memoryBytes`, at most one for each core. There is
 * always one: what does not fit at all is up to `checkVideoMemory`.
 */
export function encodingThreads(video: EncodedSizes, memoryBytes: number): number {
  let threads = Math.min(MAX_THREADS, availableParallelism());
  while (threads > 1 && encodingBytes(video, threads) > memoryBytes) threads -= 1;
  return threads;
}

/** Throws a permanent MediaFailure for sizes that can't be encoded within `memoryBytes`. */
export function checkVideoMemory(video: EncodedSizes, memoryBytes: number): void {
  if (encodingBytes(video, 1) <= memoryBytes) return;
  throw permanentFailure(
    'The video needs more memory than this server allows. Select fewer or smaller resolutions.',
  );
}
