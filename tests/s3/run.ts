import { parseArgs } from 'node:util';
import { findS3TestPython } from '../../scripts/setup/test-programs.mjs';
import { judge, type Verdict } from './judge.ts';
import { leftOutGroups, readLeftOut } from './left-out.ts';
import { PART } from './part.ts';
import { type Outcome, Suite } from './suite.ts';
import { startCeph, startWharf } from './targets.ts';

/*
 * Runs Ceph's tests of S3, all of them or those whose names have one of some words. Also those of the list of tests
 * that are left out are run, so that the list stays true.
 */

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    ceph: { type: 'boolean', default: false },
    expected: { type: 'boolean', default: false },
    part: { type: 'boolean', default: false },
    trace: { type: 'boolean', default: false },
  },
});

const python = process.env.WHARF_S3_TEST_PYTHON ?? findS3TestPython();
if (!python) throw new Error('Python with boto3 and pytest is not installed.');
const leftOut = await readLeftOut();
const leftOutGroupOf = leftOutGroups(leftOut);

const target = values.ceph ? await startCeph() : await startWharf();
if (!target) throw new Error('Ceph is not installed.');
const suite = await Suite.open(python, target);
let all: string[];
let chosen: string[];
let outcomes: Map<string, Outcome>;
try {
  all = await suite.findTests();
  chosen = all.filter(isChosen);
  outcomes = await suite.run(chosen, { isShown: true });
} finally {
  await suite.close();
  await target.stop();
}
const verdict = judge({ all, chosen, leftOut, outcomes });
print(verdict);
// Only our own server has to do what the list says.
process.exit(values.ceph || verdict.isTrue ? 0 : 1);

function isChosen(test: string): boolean {
  if (values.expected && leftOutGroupOf(test)) return false;
  if (values.part && !PART.includes(test)) return false;
  return positionals.length === 0 || positionals.some((word) => test.includes(word));
}

function print({ passed, expected, unexpected, recovered, unknown }: Verdict) {
  for (const { test, trace } of unexpected) {
    console.log(`FAILED: ${test}`);
    if (values.trace) console.log(trace);
  }
  for (const { test, reason } of recovered) {
    console.log(`passed, but is on the list of tests that are left out (${reason}): ${test}`);
  }
  for (const test of unknown) console.log(`is on the list, but not in the suite: ${test}`);
  console.log(`${passed} of ${chosen.length} tests passed; ${expected} were expected to.`);
}
