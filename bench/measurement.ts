import { readFile } from 'node:fs/promises';
import { availableParallelism, loadavg } from 'node:os';

/** The middle one of some numbers, or the mean of the two in the middle. Throws without any. */
export function median(numbers: number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const [low, high] = [Math.floor, Math.ceil].map(
    (round) => sorted[round((sorted.length - 1) / 2)],
  );
  if (low === undefined || high === undefined) throw new Error('There is no median of nothing.');
  return (low + high) / 2;
}

/**
 * Measures several sides in turns, so that whatever disturbs the machine disturbs all of them: each once a
 * round, in an order that is reversed with every round. The first round warms them up and does not count.
 */
export async function takeTurns<Side extends string, Figure>(
  rounds: number,
  sides: Record<Side, (round: number) => Promise<Figure>>,
): Promise<Record<Side, Figure[]>> {
  const names = Object.keys(sides) as Side[];
  const figures = Object.fromEntries(names.map((name) => [name, [] as Figure[]])) as Record<
    Side,
    Figure[]
  >;
  for (let round = 0; round <= rounds; round += 1) {
    for (const name of round % 2 ? names : names.toReversed()) {
      const figure = await sides[name](round);
      if (round > 0) figures[name].push(figure);
    }
  }
  return figures;
}

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
