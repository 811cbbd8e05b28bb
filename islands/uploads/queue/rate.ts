import { HOUR, MINUTE, SECOND } from '../../../server/contract/limits.ts';

const WINDOW_MS = 5 * SECOND;
/** Two samples that are closer than this are too noisy for a rate. */
const MIN_ELAPSED_MS = SECOND / 2;

/** Measures the rate of an upload over the last five seconds. */
export function createRateMeter() {
  let samples: { at: number; sent: number }[] = [];
  return {
    /**
     * Records that `sent` bytes were sent by `at` (epoch ms). Returns bytes per second, or null as
     * long as there are too few samples. An upload that is resumed starts a new measurement.
     */
    add(at: number, sent: number): number | null {
      const last = samples.at(-1);
      if (last && (sent < last.sent || at - last.at > WINDOW_MS)) samples = [];
      samples.push({ at, sent });
      while (samples.length > 2 && at - (samples[1]?.at ?? at) >= WINDOW_MS) samples.shift();
      const first = samples[0] ?? { at, sent };
      const elapsed = at - first.at;
      return elapsed < MIN_ELAPSED_MS ? null : ((sent - first.sent) * SECOND) / elapsed;
    },
  };
}

/** Returns a text about how long `bytes` take at `rate` bytes per second, or null without a rate. */
export function remainingTime(bytes: number, rate: number | null): string | null {
  if (!rate || rate <= 0) return null;
  const ms = Math.ceil(bytes / rate) * SECOND;
  if (ms < MINUTE) return `${ms / SECOND} s left`;
  if (ms < HOUR) return `${Math.ceil(ms / MINUTE)} min left`;
  const minutes = Math.ceil((ms % HOUR) / MINUTE);
  const hours = Math.floor(ms / HOUR) + (minutes === 60 ? 1 : 0);
  return `${hours} h ${minutes % 60} min left`;
}
