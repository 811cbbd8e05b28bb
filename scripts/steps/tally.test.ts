import { expect, test } from 'bun:test';
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { failuresOf, parseJunit, runBunFiles } from './bun-tests.mjs';
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

test('of what is printed, only what failed tests have to say is kept, below the name of their file', () => {
  const bun = [
    ...['a.test.ts:', 'noise', '(pass) one', 'error: 1 is not 2', '(fail) two', '(skip) three'],
    ...[
      '',
      'b.test.ts:',
      'noise',
      '(pass) one',
      '',
      'c.test.ts:',
      '# Unhandled error between tests',
    ],
    ...['error: Cannot find module x', '', 'd.test.ts:', '(fail) one', '(fail) two', ' 3 pass'],
  ];
  expect(failuresOf(bun.join('\n')).split('\n')).toEqual([
    ...['a.test.ts:', 'error: 1 is not 2', '(fail) two'],
    ...['c.test.ts:', '# Unhandled error between tests', 'error: Cannot find module x', ''],
    ...['d.test.ts:', '(fail) one', '(fail) two'],
  ]);
  expect(failuresOf('error: Cannot find module x')).toBe('error: Cannot find module x');
});

test('of files that share a process, each failure and each file without tests is named', async () => {
  const root = await mkdtemp(join(tmpdir(), 'wharf-group-'));
  await mkdir(join(root, 'node_modules/.bin'), { recursive: true });
  await symlink(process.execPath, join(root, 'node_modules/.bin/bun'));
  const sources = {
    'a.test.ts': `import { test } from 'bun:test'; test('passes', () => Bun.sleep(20));`,
    'b.test.ts': `import { test } from 'bun:test'; test('fails', () => { throw new Error('b is wrong'); });`,
    'c.test.ts': `throw new Error('c is broken');`,
    'd.test.ts': '',
  };
  for (const [name, text] of Object.entries(sources)) await Bun.write(join(root, name), text);
  const files = Object.keys(sources);
  const { tally, output, parts } = await runBunFiles(
    root,
    { name: 'all', files },
    { label: 'on X: ' },
  );
  expect(tally).toEqual({
    passed: 1,
    failed: [
      'on X: b.test.ts: fails',
      'on X: c.test.ts: ran no tests',
      'on X: d.test.ts: ran no tests',
    ],
    skipped: [],
  });
  expect(output).toContain('b is wrong');
  expect(output).toContain('c is broken');
  expect(parts?.map(({ name }) => name)).toEqual(files.map((name) => `on X: ${name}`));
  expect(parts?.[0]?.ms).toBeGreaterThan(0);
  await rm(root, { recursive: true });
});
