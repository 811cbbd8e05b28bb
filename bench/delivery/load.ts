import { readFile } from 'node:fs/promises';
import { availableParallelism, loadavg } from 'node:os';

/** Above it, what is measured is mostly how other work and ours share the machine. */
export const MAX_OTHER_LOAD = 2;
const SAMPLES = 100;
const SAMPLE_INTERVAL_MS = 50;

/**
 * The load of other work: how many tasks run, or wait for a core or a disk, on average over 5 seconds in
 * which this process only sleeps. The system's own load average would hold the part before for minutes.
 */
export async function measureOtherLoad(): Promise<number> {
  let tasks = 0;
  for (let n = 0; n < SAMPLES; n += 1) {
    await Bun.sleep(SAMPLE_INTERVAL_MS);
    tasks += tasksOf(await readFile('/proc/stat', 'utf8'));
  }
  return tasks / SAMPLES;
}

/** Tasks that run or wait for a disk, by the text of /proc/stat, without the one that reads it. */
export function tasksOf(stat: string): number {
  const count = (name: string) =>
    Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(stat)?.[1] ?? Number.NaN);
  return Math.max(0, count('procs_running') - 1) + count('procs_blocked');
}

/** The system's load averages, for a person. */
export const loadAverages = (): string =>
  `load average ${loadavg()
    .map((one) => one.toFixed(2))
    .join(', ')} (1, 5 and 15 minutes) on ${availableParallelism()} cores`;
