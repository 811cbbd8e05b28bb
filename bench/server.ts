import { compareAddresses } from './dashboard/enumeration.ts';
import { compareDelivery } from './delivery/delivery.ts';
import { CASES, countOf } from './delivery/library.ts';
import { printProcessorTimes, printRates } from './delivery/report-delivery.ts';
import { findPrograms } from './programs.ts';
import { measureStarts, type Start } from './start.ts';
import type { Judge, PartOptions } from './targets.ts';

/**
 * Prints the server's start, its delivery compared with nginx, and whether response times reveal accounts.
 * Another program is measured in turns with it.
 */
export async function reportServer({ isQuick, program, judge }: PartOptions): Promise<void> {
  const effort = isQuick
    ? { rounds: 3, seconds: 2, files: 200 }
    : { rounds: 5, seconds: 5, files: 2000 };
  const programs = findPrograms(['nginx', 'wrk', 'taskset']);
  if (program) console.log(`before: ${program}`);
  printStarts(await measureStarts(program), judge);
  console.log(
    `\ndelivery of ${effort.files} files (${countOf('10 MiB', effort.files)} of 10 MiB) against nginx, private against our public, medians of ${effort.rounds} rounds of ${effort.seconds} s`,
  );
  const comparisons = await compareDelivery(programs, CASES, program, effort);
  printRates(comparisons, judge);
  printProcessorTimes(comparisons);
  console.log('\nan address with an account against one without, milliseconds');
  for (const { call, existing, unknown } of await compareAddresses(isQuick ? 20 : 100)) {
    const ratio = (existing / unknown).toFixed(2);
    console.log(
      `${call.padEnd(24)}${existing.toFixed(1)} against ${unknown.toFixed(1)}, ratio ${ratio}`,
    );
  }
}

function printStarts({ ours, before }: { ours: Start; before: Start | null }, judge: Judge) {
  const print = (name: string, figure: keyof Start, unit: string, verdict = '') => {
    const ratio = before && (ours[figure] / before[figure]).toFixed(2);
    const comparison = before && `, before ${before[figure].toFixed(1)} ${unit}, ratio ${ratio}`;
    console.log(
      `${name.padEnd(20)}${ours[figure].toFixed(1)} ${unit}${comparison ?? ''}${verdict}`,
    );
  };
  print('first answer', 'firstAnswer', 'ms', `, ${judge(ours.firstAnswer, { atMost: 300 })}`);
  print('its processor time', 'processorTime', 'ms');
  print('idle memory', 'idleMemory', 'MiB', `, ${judge(ours.idleMemory, { atMost: 100 })}`);
}
