import { buildBinary } from '../scripts/binary.ts';
import { CASES, countOf } from './cases.ts';
import { compareDelivery } from './delivery.ts';
import { compareAddresses } from './enumeration.ts';
import { findPrograms } from './programs.ts';
import { measureStart } from './start.ts';

/** Prints the server's start, its delivery against nginx's, and what answers' times tell of accounts. */
export async function reportServer({ isQuick }: { isQuick: boolean }): Promise<void> {
  const effort = isQuick
    ? { rounds: 3, seconds: 2, files: 200 }
    : { rounds: 5, seconds: 5, files: 2000 };
  const programs = findPrograms(['nginx', 'wrk', 'taskset']);
  const [source, binary] = [await measureStart(), await measureStart(await buildBinary())];
  const row = (name: string, of: (one: typeof source) => string) =>
    console.log(`${name.padEnd(14)}${of(source)}; of the one file ${of(binary)}`);
  row('first answer', ({ firstAnswer }) => `${firstAnswer.toFixed(0)} ms after the start`);
  row('idle memory', ({ idleMemory }) => `${idleMemory.toFixed(1)} MiB`);
  console.log(
    `\ndelivery of ${effort.files} files (${countOf('10 MiB', effort.files)} of 10 MiB) against nginx, private against our public, medians of ${effort.rounds} rounds of ${effort.seconds} s`,
  );
  printRow([
    '',
    'bytes',
    'ours /s',
    'peer /s',
    'ratio',
    'to reach',
    'p99 ours',
    'p99 peer',
    'ratio',
  ]);
  for (const one of await compareDelivery(programs, CASES, effort)) {
    const { ours, peers } = one;
    printRow([
      one.name,
      String(one.bytes),
      ours.requestsPerSecond.toFixed(0),
      peers.requestsPerSecond.toFixed(0),
      (ours.requestsPerSecond / peers.requestsPerSecond).toFixed(2),
      one.toReach.toFixed(1),
      `${ours.p99.toFixed(1)} ms`,
      `${peers.p99.toFixed(1)} ms`,
      (ours.p99 / peers.p99).toFixed(1),
    ]);
  }
  console.log('\nan address with an account against one without, milliseconds');
  for (const { call, known, unknown } of await compareAddresses(isQuick ? 20 : 100)) {
    const ratio = (known / unknown).toFixed(2);
    console.log(
      `${call.padEnd(24)}${known.toFixed(1)} against ${unknown.toFixed(1)}, ratio ${ratio}`,
    );
  }
}

function printRow([name = '', ...cells]: string[]) {
  console.log(name.padEnd(17) + cells.map((cell) => cell.padStart(10)).join(''));
}
