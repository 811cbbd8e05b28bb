import { expect, test } from 'bun:test';
import { join, resolve } from 'node:path';
import { parseOptions } from './options.ts';

const scale = { files: null, isOnPostgres: false, isSlowDisk: false };
const USUAL = { isQuick: false, isSource: false, minutes: 60, program: null, scale };

test('without a part, all run but those that take long', () => {
  const parts = ['server', 'media', 'uploads', 'transforms', 'dashboard', 'admin'] as const;
  expect(parseOptions([])).toEqual({ ...USUAL, parts: [...parts] });
});

test('parts and options are taken in any order', () => {
  expect(parseOptions(['soak', '--minutes', '0.5', 'admin', '--quick', '--source'])).toEqual({
    parts: ['soak', 'admin'],
    isQuick: true,
    isSource: true,
    minutes: 0.5,
    program: null,
    scale,
  });
});

test('scale has options of its own', () => {
  const args = ['scale', '--files', '500', '--postgres', '--slow-disk'];
  expect(parseOptions(args)).toEqual({
    ...USUAL,
    parts: ['scale'],
    scale: { files: 500, isOnPostgres: true, isSlowDisk: true },
  });
});

test('the path of another program is relative to the current folder', () => {
  expect(parseOptions(['server', '--program', '/old/wharf'])?.program).toBe('/old/wharf');
  expect(parseOptions(['scale', '--program', 'old/wharf'])?.program).toBe(resolve('old/wharf'));
});

test('--help asks for nothing else', () => {
  expect(parseOptions(['--help', 'admin'])).toBeNull();
});

async function run(...args: string[]) {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, 'run.ts'), ...args], {
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [output, errors] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { output, errors, status: await child.exited };
}

test.each([
  { args: ['--fast'], expected: /^Unknown option '--fast'/ },
  { args: ['speed'], expected: /^There is no part 'speed'\.\n/ },
  { args: ['--minutes', 'many'], expected: /^--minutes takes a number above 0, not 'many'\.\n/ },
  { args: ['--files', '0'], expected: /^--files takes a number above 0, not '0'\.\n/ },
  { args: ['--minutes'], expected: /--minutes/ },
])('$args is answered by the help with exit code 2, and no stack', async ({ args, expected }) => {
  const { output, errors, status } = await run(...args);
  expect({ output, status }).toEqual({ output: '', status: 2 });
  expect(errors).toMatch(expected);
  expect(errors).toContain('\nUsage: npm run bench -- [options] [part …]\n');
  expect(errors).not.toMatch(/^\s+at /m);
});

test('--help prints the help', async () => {
  const { output, errors, status } = await run('--help');
  expect({ errors, status }).toEqual({ errors: '', status: 0 });
  expect(output).toStartWith('Usage: npm run bench');
});
