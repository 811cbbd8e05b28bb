import { compareDelivery } from './delivery.ts';
import { compareAddresses } from './enumeration.ts';
import { findPrograms } from './programs.ts';
import { measureStart } from './start.ts';

/** Prints the server's start, its delivery against nginx's, and what answers' times tell of accounts. */
export async function reportServer({ isQuick }: { isQuick: boolean }): Promise<void> {
  const effort = isQuick ? { rounds: 3, seconds: 2 } : { rounds: 5, seconds: 5 };
  const programs = findPrograms(['nginx', 'wrk', 'taskset']);
  const { idleMemory, firstAnswer } = await measureStart();
  console.log(`first answer  ${firstAnswer.toFixed(0)} ms after the start`);
  console.log(`idle memory   ${idleMemory.toFixed(1)} MiB`);
  console.log(`\ndelivery, medians of ${effort.rounds} rounds of ${effort.seconds} s`);
  printRow(['size', 'bytes', 'ours /s', 'nginx /s', 'ratio', 'p99 ours', 'p99 nginx']);
  for (const { size, bytes, ours, nginx } of await compareDelivery(programs, effort)) {
    printRow([
      size,
      String(bytes),
      ours.requestsPerSecond.toFixed(0),
      nginx.requestsPerSecond.toFixed(0),
      (ours.requestsPerSecond / nginx.requestsPerSecond).toFixed(2),
      `${ours.p99.toFixed(1)} ms`,
      `${nginx.p99.toFixed(1)} ms`,
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

function printRow(cells: string[]) {
  console.log(cells.map((cell) => cell.padStart(11)).join(''));
}
