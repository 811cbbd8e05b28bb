import { afterAll, expect, test } from 'bun:test';
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../../tests/support/server/program.ts';
import { browserTests } from './browser-tests.mjs';

const folders: string[] = [];
afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true });
});

/** Runs test files that open no browser, and returns the result of each. */
async function run(files: Record<string, string>) {
  const root = await mkdtemp(join(tmpdir(), 'wharf-browser-tests-'));
  folders.push(root);
  await mkdir(join(root, 'tests'));
  await symlink(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  await Bun.write(
    join(root, 'playwright.config.ts'),
    "export default { testDir: 'tests', testMatch: '*.e2e.ts' };",
  );
  const names = Object.keys(files).map((name) => `tests/${name}`);
  for (const [name, text] of Object.entries(files)) {
    const head = "import { test } from '@playwright/test';\n";
    await Bun.write(join(root, 'tests', name), head + text);
  }
  const { resultOf } = browserTests(root, names, 1);
  return Promise.all(names.map(resultOf));
}

test('each file is told with its own tests, and with what those that failed say', async () => {
  const [good, bad] = await run({
    'good.e2e.ts': "test('one', () => {}); test.skip('two', () => {});",
    'bad.e2e.ts': `test.describe('group', () => {
      test('three', () => { throw new Error('it is wrong'); });
      test('four', () => {});
    });`,
  });
  expect(good?.tally).toEqual({ passed: 1, failed: [], skipped: ['tests/good.e2e.ts > two'] });
  expect(bad?.tally).toEqual({
    passed: 1,
    failed: ['tests/bad.e2e.ts > group > three'],
    skipped: [],
  });
  expect(bad?.output).toContain('it is wrong');
  // Colours would be unreadable where the output goes to a file.
  expect(bad?.output).not.toContain('\u001b');
  expect(good?.output).toBe('');
  // The file that ends last, too, took only as long as its tests.
  for (const one of [good, bad]) expect(one?.ms).toBeNumber();
});

test('what goes wrong after the last test is told with its file', async () => {
  const [one] = await run({
    'one.e2e.ts': `const after = test.extend({
      server: [async ({}, use) => { await use(1); throw new Error('the log holds a secret'); },
        { scope: 'worker' }],
    });
    after('one', ({ server }) => {});`,
  });
  expect(one?.tally).toEqual({
    passed: 1,
    failed: ['tests/one.e2e.ts: exited with status 1'],
    skipped: [],
  });
  expect(one?.output).toContain('the log holds a secret');
});

test('a file that can’t be loaded has failed, and what keeps it from it is told', async () => {
  const [one] = await run({ 'one.e2e.ts': "import './missing.ts';" });
  expect(one?.tally.failed).toEqual(['tests/one.e2e.ts: exited with status 1']);
  expect(one?.output).toContain('missing.ts');
});
