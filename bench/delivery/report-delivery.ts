import type { Judge } from '../targets.ts';
import type { Comparison } from './delivery.ts';

/** Prints requests per second and response times, compared with the peer. */
export function printRates(comparisons: Comparison[], judge: Judge): void {
  printRow(['', 'bytes', 'ours /s', 'peer /s', 'ratio', 'p99 ours', 'p99 peer', 'ratio']);
  for (const { name, bytes, toReach, ours, peers } of comparisons) {
    const ratio = ours.requestsPerSecond / peers.requestsPerSecond;
    const p99Ratio = ours.p99 / peers.p99;
    const cells = [
      String(bytes),
      ours.requestsPerSecond.toFixed(0),
      peers.requestsPerSecond.toFixed(0),
      ratio.toFixed(2),
      `${ours.p99.toFixed(1)} ms`,
      `${peers.p99.toFixed(1)} ms`,
      p99Ratio.toFixed(1),
    ];
    const verdicts = [judge(ratio, { atLeast: toReach }), judge(p99Ratio, { atMost: 3 })];
    printRow([name, ...cells], `  ${verdicts.join(', p99 ')}`);
  }
}

/**
 * Prints the processor time of a request, compared with the peer and with the other program. Of that one,
 * the requests per second are printed too.
 */
export function printProcessorTimes(comparisons: Comparison[]): void {
  const hasBefore = comparisons.some(({ before }) => before);
  console.log('\nprocessor time a request, in microseconds');
  const added = hasBefore ? ['before', 'ratio', 'before /s', 'ratio'] : [];
  printRow(['', 'ours', 'peer', 'ratio', ...added]);
  for (const { name, ours, peers, before } of comparisons) {
    const compared = (figure: 'processorTime' | 'requestsPerSecond', other: typeof ours) => [
      other[figure].toFixed(figure === 'processorTime' ? 1 : 0),
      (ours[figure] / other[figure]).toFixed(2),
    ];
    printRow([
      name,
      ours.processorTime.toFixed(1),
      ...compared('processorTime', peers),
      ...(before ? compared('processorTime', before) : []),
      ...(before ? compared('requestsPerSecond', before) : []),
    ]);
  }
}

function printRow([name = '', ...cells]: string[], verdicts = '') {
  console.log(name.padEnd(17) + cells.map((cell) => cell.padStart(10)).join('') + verdicts);
}
