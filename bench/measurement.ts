import { readFile } from 'node:fs/promises';
import { availableParallelism, loadavg } from 'node:os';

/** Returns the median of some numbers. Throws without any. */
export function median(numbers: number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const [low, high] = [Math.floor, Math.ceil].map(
    (round) => sorted[round((sorted.length - 1) / 2)],
  );
  if (low === undefined || high === undefined) throw new Error('There is no median of nothing.');
  return (low + high) / 2;
}

/** Returns the median of each figure of some measurements. Throws without any. */
export function mediansOf<Name extends string>(all: Record<Name, number>[]): Record<Name, number> {
  const [first] = all;
  if (!first) throw new Error('There are no medians of nothing.');
  const names = Object.keys(first) as Name[];
  const medians = names.map((name) => [name, median(all.map((one) => one[name]))]);
  return Object.fromEntries(medians);
}

/**
 * Measures several sides in turns, so that other work on the machine affects all of them. Each side is
 * measured once per round, and the order is reversed with every round. The first round warms up and does
 * not count. A side that is undefined has no figures.
 */
export async function takeTurns<Side extends string, Figure>(
  rounds: number,
  sides: Record<Side, ((round: number) => Promise<Figure>) | undefined>,
): Promise<Record<Side, Figure[]>> {
  const names = Object.keys(sides) as Side[];
  const figures = Object.fromEntries(names.map((name) => [name, [] as Figure[]])) as Record<
    Side,
    Figure[]
  >;
  for (let round = 0; round <= rounds; round += 1) {
    for (const name of round % 2 ? names : names.toReversed()) {
      const figure = await sides[name]?.(round);
      if (round > 0 && figure !== undefined) figures[name].push(figure);
    }
  }
  return figures;
}

/** Above this load, figures mostly tell how other work and ours share the machine. */
export const MAX_OTHER_LOAD = 2;
const SAMPLES = 100;
const SAMPLE_INTERVAL_MS = 50;

/**
 * Returns the load of other work: the average number of tasks that run, or wait for a core or a disk, over
 * 5 seconds in which this process sleeps. The system's own load average would include the previous part for
 * minutes.
 */
export async function measureOtherLoad(): Promise<number> {
  let tasks = 0;
  for (let n = 0; n < SAMPLES; n += 1) {
    await Bun.sleep(SAMPLE_INTERVAL_MS);
    tasks += tasksOf(await readFile('/proc/stat', 'utf8'));
  }
  return tasks / SAMPLES;
}

/**
 * Returns the number of tasks that run or wait for a disk by the text of /proc/stat, except the one that
 * reads it.
 */
export function tasksOf(stat: string): number {
  const count = (name: string) =>
    Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(stat)?.[1] ?? Number.NaN);
  return Math.max(0, count('procs_running') - 1) + count('procs_blocked');
}

/** Returns the system's load averages for people. */
export const loadAverages = (): string =>
  `load average ${loadavg()
    .map((one) => one.toFixed(2))
    .join(', ')} (1, 5 and 15 minutes) on ${availableParallelism()} cores`;
