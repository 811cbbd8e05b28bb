import { expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { failuresOf, parseJunit } from './bun-tests.mjs';
import { judge, sum, summaryLine } from './tally.mjs';

const outcomeOf = (status: number | null, fault: string | null = null) => ({
  status,
  fault,
  output: '',
  ms: 1,
});
const tally = (passed: number, failed: string[] = [], skipped: string[] = []) => ({
  passed,
  failed,
  skipped,
});

test('the last line names the skipped only when there are some', () => {
  expect(summaryLine(tally(3))).toBe('3 passed, 0 failed');
  expect(summaryLine(sum([tally(1, ['a']), tally(2, [], ['b', 'c'])]))).toBe(
    '3 passed, 1 failed, 2 skipped',
  );
});

test('a step that ended well and ran tests is believed', () => {
  expect(judge('step', outcomeOf(0), tally(2, [], ['b']))).toEqual(tally(2, [], ['b']));
  expect(judge('step', outcomeOf(1), tally(2, ['a']))).toEqual(tally(2, ['a']));
});

test.each([
  ['wrote no report', outcomeOf(1), null, 'step: exited with status 1'],
  ['crashed after its last test', outcomeOf(1), tally(5), 'step: exited with status 1'],
  ['was stopped', outcomeOf(null, 'it was stopped'), tally(5), 'step: it was stopped'],
  [
    'left something running',
    outcomeOf(0, 'left processes running: x'),
    tally(5),
    'step: left processes running: x',
  ],
  ['ran no test', outcomeOf(0), tally(0), 'step: ran no tests'],
])('a step that %s has failed', (_, outcome, report, failure) => {
  expect(judge('step', outcome, report).failed).toEqual([failure]);
});

test("Bun's own report is counted right", async () => {
  const folder = await mkdtemp(join(tmpdir(), 'wharf-tally-'));
  const file = `${folder}/sample.test.ts`;
  await Bun.write(
    file,
    `import { describe, expect, test } from 'bun:test';
    describe('a & <b>', () => {
      test('passes', () => {});
      test('fails', () => expect('</testcase>').toBe('<skipped />'));
      test.skip('is "skipped"', () => {});
      test.todo('is to do');
    });`,
  );
  const report = ['--reporter=junit', `--reporter-outfile=${folder}/report.xml`];
  Bun.spawnSync([process.execPath, 'test', ...report, file], { cwd: folder, stderr: 'ignore' });
  const { passed, failed, skipped } = parseJunit(await Bun.file(`${folder}/report.xml`).text());
  expect(passed).toBe(1);
  expect(failed).toEqual([expect.stringMatching(/sample\.test\.ts: a & <b> > fails$/)]);
  expect(skipped).toEqual([
    expect.stringMatching(/sample\.test\.ts: a & <b> > is "skipped"$/),
    expect.stringMatching(/sample\.test\.ts: a & <b> > is to do$/),
  ]);
  await rm(folder, { recursive: true });
});

test('of what is printed, only what failed tests have to say is kept', () => {
  const bun = [
    'a.test.ts:',
    'noise',
    '(pass) one',
    'error: 1 is not 2',
    '(fail) two',
    '(skip) three',
  ];
  expect(failuresOf(bun.join('\n'))).toBe('error: 1 is not 2\n(fail) two');
  expect(failuresOf('error: Cannot find module x')).toBe('error: Cannot find module x');
});
