import { setImmediate } from 'node:timers/promises';
import { permanentFailure } from '../media-failure.ts';

/**
 * The most parts of an image: segments, blocks and their sub-blocks, chunks, tags, attributes. A GIF of 50
 * MiB has 210,000 sub-blocks of the usual 255 bytes, a photo has some hundred parts. Without a limit, a
 * file of nothing but parts of two bytes has 25 million. A part takes 5 to 10 µs, as the media process does
 * not compile JavaScript.
 */
export const MAX_STEPS = 500_000;
/** How long the work may keep the event loop from running timers and other jobs. */
const SLICE_MS = 10;

/**
 * Performs steps one after the other. It lets the event loop turn in between, so that a deadline can fire.
 * Throws a permanent MediaFailure where there are too many steps, and the signal's reason after an abort.
 * @param now returns milliseconds of a clock
 */
export async function runSteps<Step>(
  steps: Iterable<Step>,
  perform: (step: Step) => void,
  signal: AbortSignal,
  now: () => number = () => performance.now(),
): Promise<void> {
  signal.throwIfAborted();
  let count = 0;
  let sliceStart = now();
  for (const step of steps) {
    count += 1;
    if (count > MAX_STEPS) throw tooManyParts();
    perform(step);
    if (now() - sliceStart < SLICE_MS) continue;
    await setImmediate();
    signal.throwIfAborted();
    sliceStart = now();
  }
}

const tooManyParts = () =>
  permanentFailure('The image file has too many parts. Save it again with an image editor.');
