import { startServerProcess } from '../tests/support/server/server-process.ts';
import { compareAddresses } from './dashboard/enumeration.ts';
import { compareDelivery } from './delivery/delivery.ts';
import { CASES, countOf } from './delivery/library.ts';
import { median } from './measurement.ts';
import { findPrograms } from './programs.ts';
import { residentMemory } from './soak/soak-samples.ts';
import type { PartOptions } from './targets.ts';

const STARTS = 5;
const SETTLE_MS = 2_000;

/** Prints the server's start, its delivery compared with nginx, and whether response times reveal accounts. */
export async function reportServer({ isQuick, judge }: PartOptions): Promise<void> {
  const effort = isQuick
    ? { rounds: 3, seconds: 2, files: 200 }
    : { rounds: 5, seconds: 5, files: 2000 };
  const programs = findPrograms(['nginx', 'wrk', 'taskset']);
  const { startMs, idleMemory } = await measureStart();
  console.log(
    `first answer  ${startMs.toFixed(0)} ms after the start, ${judge(startMs, { atMost: 300 })}`,
  );
  console.log(`idle memory   ${idleMemory.toFixed(1)} MiB, ${judge(idleMemory, { atMost: 100 })}`);
  console.log(
    `\ndelivery of ${effort.files} files (${countOf('10 MiB', effort.files)} of 10 MiB) against nginx, private against our public, medians of ${effort.rounds} rounds of ${effort.seconds} s`,
  );
  printRow(['', 'bytes', 'ours /s', 'peer /s', 'ratio', 'p99 ours', 'p99 peer', 'ratio']);
  for (const one of await compareDelivery(programs, CASES, effort)) {
    const { ours, peers } = one;
    const ratio = ours.requestsPerSecond / peers.requestsPerSecond;
    const p99Ratio = ours.p99 / peers.p99;
    const cells = [
      String(one.bytes),
      ours.requestsPerSecond.toFixed(0),
      peers.requestsPerSecond.toFixed(0),
      ratio.toFixed(2),
      `${ours.p99.toFixed(1)} ms`,
      `${peers.p99.toFixed(1)} ms`,
      p99Ratio.toFixed(1),
    ];
    const verdicts = [judge(ratio, { atLeast: one.toReach }), judge(p99Ratio, { atMost: 3 })];
    printRow([one.name, ...cells], `  ${verdicts.join(', p99 ')}`);
  }
  console.log('\nan address with an account against one without, milliseconds');
  for (const { call, existing, unknown } of await compareAddresses(isQuick ? 20 : 100)) {
    const ratio = (existing / unknown).toFixed(2);
    console.log(
      `${call.padEnd(24)}${existing.toFixed(1)} against ${unknown.toFixed(1)}, ratio ${ratio}`,
    );
  }
}

function printRow([name = '', ...cells]: string[], verdicts = '') {
  console.log(name.padEnd(17) + cells.map((cell) => cell.padStart(10)).join('') + verdicts);
}

/**
 * Returns the idle memory in MiB before any job, and the milliseconds from spawn to the first healthy
 * response.
 */
async function measureStart(): Promise<{ idleMemory: number; startMs: number }> {
  const server = await startServerProcess();
  try {
    const times = [server.startupTime()];
    while (times.length < STARTS) {
      await server.restart();
      times.push(server.startupTime());
    }
    await Bun.sleep(SETTLE_MS);
    return { idleMemory: await residentMemory(server.pid()), startMs: median(times) };
  } finally {
    await server.stop();
  }
}
