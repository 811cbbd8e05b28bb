import type { ProcessorTime } from '../sandbox/processor-time.ts';
import { countedTime } from '../video/pace.ts';

/** What measures work. */
export type Clocks = {
  /** Returns milliseconds of a clock that never goes back. */
  monotonicClock: () => number;
  /** Counts the processor time of the tools that do the work. */
  processorTime: Pick<ProcessorTime, 'ms' | 'measure'>;
};

/** Returns a function that returns how many milliseconds since its last call, or since now, count for work; see `countedTime`. */
export function countTime({ monotonicClock, processorTime }: Clocks): () => number {
  let last = { at: monotonicClock(), processorMs: processorTime.ms };
  return () => {
    const now = { at: monotonicClock(), processorMs: processorTime.ms };
    const elapsedMs = now.at - last.at;
    const processorMs = now.processorMs - last.processorMs;
    last = now;
    return countedTime({ elapsedMs, processorMs });
  };
}
