import { HOUR, MINUTE, SECOND } from '../../../server/contract/limits.ts';

const WINDOW = 5 * SECOND;
/** Two samples nearer than this say nothing of the rate. */
const SHORTEST = SECOND / 2;

/** Measures how fast bytes leave, over the last five seconds. */
export function rateMeter() {
  let samples: { at: number; sent: number }[] = [];
  return {
    /**
     * Notes that `sent` bytes have left by `at` (epoch ms). Answers bytes per second, null while
     * too little is known. What is sent again after a break starts a new measurement.
     */
    add(at: number, sent: number): number | null {
      const last = samples.at(-1);
      if (last && (sent < last.sent || at - last.at > WINDOW)) samples = [];
      samples.push({ at, sent });
      while (samples.length > 2 && at - (samples[1]?.at ?? at) >= WINDOW) samples.shift();
      const first = samples[0] ?? { at, sent };
      const elapsed = at - first.at;
      return elapsed < SHORTEST ? null : ((sent - first.sent) * SECOND) / elapsed;
    },
  };
}

/** How long `bytes` take at `rate` bytes per second, for a person; null when nobody can tell. */
export function timeLeft(bytes: number, rate: number | null): string | null {
  if (!rate || rate <= 0) return null;
  const ms = Math.ceil(bytes / rate) * SECOND;
  if (ms < MINUTE) return `${ms / SECOND} s left`;
  if (ms < HOUR) return `${Math.ceil(ms / MINUTE)} min left`;
  const minutes = Math.ceil((ms % HOUR) / MINUTE);
  const hours = Math.floor(ms / HOUR) + (minutes === 60 ? 1 : 0);
  return `${hours} h ${minutes % 60} min left`;
}
