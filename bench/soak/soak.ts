import { MINUTE, SECOND } from '../../server/contract/limits.ts';
import { createToken } from '../../tests/support/client/api.ts';
import { startServerProcess } from '../../tests/support/server/server-process.ts';
import { createBenchBucket } from '../fixtures.ts';
import type { Judge, PartOptions } from '../targets.ts';
import { type Kind, kindsOf, prepare } from './soak-load.ts';
import { type Sample, sampleOf } from './soak-samples.ts';

const SAMPLE_INTERVAL_MS = 10 * SECOND;
/** With more running requests of one kind the machine can't keep the rate, which is counted. */
const MAX_WAITING = 20;

/**
 * Loads one server for a while at a rate that two cores can keep: uploads, encodes, all forms of delivery,
 * the dashboard's calls, deletions. Prints how memory, open files and disk usage changed, and how long
 * responses took.
 */
export async function reportSoak({ minutes, judge }: PartOptions): Promise<void> {
  const server = await startServerProcess();
  try {
    const { token, bucket } = await createBenchBucket(server);
    const jwt = await createToken(server, bucket);
    const library = await prepare(server, { token, bucket, jwt });
    const kinds = kindsOf(library);
    const times = new Map(
      kinds.map(({ name }) => [name, { durations: [] as number[], failed: 0, overdue: 0 }]),
    );
    const stopped = new AbortController();
    const started = Date.now();
    const loads = kinds.map((kind) => drive(kind, times.get(kind.name) as Times, stopped.signal));
    const samples: (Sample & { at: number })[] = [];
    while (Date.now() - started < minutes * MINUTE) {
      await Bun.sleep(SAMPLE_INTERVAL_MS);
      samples.push({ at: Date.now() - started, ...(await sampleOf(server.pid(), server.dataDir)) });
    }
    stopped.abort();
    await Promise.all(loads);
    printSamples(samples, minutes, judge);
    printTimes(times, minutes);
  } finally {
    await server.stop();
  }
}

type Times = { durations: number[]; failed: number; overdue: number };

/** Sends requests at a steady rate, however long responses take. */
async function drive({ perSecond, send }: Kind, times: Times, signal: AbortSignal): Promise<void> {
  const under = new Set<Promise<void>>();
  let next = performance.now() + (Math.random() * SECOND) / perSecond;
  while (!signal.aborted) {
    await Bun.sleep(Math.max(0, next - performance.now()));
    next += SECOND / perSecond;
    if (under.size >= MAX_WAITING) {
      times.overdue += 1;
      continue;
    }
    const startedAt = performance.now();
    const one = send()
      .catch((error) => {
        times.failed += 1;
        console.error(String(error));
      })
      .finally(() => {
        times.durations.push(performance.now() - startedAt);
        under.delete(one);
      });
    under.add(one);
  }
  await Promise.all(under);
}

function printSamples(samples: (Sample & { at: number })[], minutes: number, judge: Judge): void {
  console.log('\n            server MiB  media MiB  open files  disk MiB');
  const moments = [1, minutes / 4, minutes / 2, (3 * minutes) / 4, minutes];
  const selected = moments.map((minute) => nearest(samples, minute * MINUTE));
  for (const { at, memory, mediaMemory, openFiles, disk } of selected) {
    const cells = [memory, mediaMemory, openFiles, disk].map((cell) =>
      cell.toFixed(0).padStart(11),
    );
    console.log(`${(at / MINUTE).toFixed(1).padStart(5)} min ${cells.join('')}`);
  }
  const [first, last] = [selected[0], selected.at(-1)];
  if (!first || !last) return;
  const growth = last.memory / first.memory;
  const judgement = judge(growth, { atMost: 1.2 });
  console.log(`memory at the end of that after 1 min: ${growth.toFixed(2)}, ${judgement}`);
}

function nearest(samples: (Sample & { at: number })[], at: number) {
  return samples.reduce((best, one) =>
    Math.abs(one.at - at) < Math.abs(best.at - at) ? one : best,
  );
}

function printTimes(all: Map<string, Times>, minutes: number): void {
  console.log(`\n${''.padEnd(22)}     /s      median         p99      failed    not sent`);
  for (const [name, { durations, failed, overdue }] of all) {
    durations.sort((a, b) => a - b);
    const at = (share: number) =>
      `${(durations[Math.floor(durations.length * share)] ?? 0).toFixed(1)} ms`;
    const rate = (durations.length / (minutes * 60)).toFixed(2);
    const cells = [at(0.5), at(0.99), String(failed), String(overdue)].map((cell) =>
      cell.padStart(10),
    );
    console.log(`${name.padEnd(22)}${rate.padStart(7)}${cells.join('')}`);
  }
}
