import { afterEach, beforeEach, expect, test } from 'bun:test';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { runNode, temporaryFolder, writeProgram } from './testing/fake-bin.ts';

const WORKING = 'if [ "$1" = --version ]; then echo 9.9.9; else echo "bun $*" >> calls; fi';
const NO_POSTINSTALL = `echo "Error: Bun's postinstall script was not run." >&2; exit 1`;

let root: string;
beforeEach(async () => {
  root = await temporaryFolder();
  await Bun.write(join(root, 'package.json'), '{"dependencies":{"bun":"9.9.9"}}');
});
afterEach(() => rm(root, { recursive: true }));

const local = () => join(root, 'node_modules/.bin/bun');
const calls = async () => (await readFile(join(root, 'calls'), 'utf8')).trim().split('\n');

/** Makes an npx that records its arguments and then puts `bun` into node_modules. */
async function fakeNpx(bun: string) {
  await writeProgram(join(root, 'new-bun'), bun);
  const install = 'mkdir -p node_modules/.bin && cp new-bun node_modules/.bin/bun';
  await writeProgram(join(root, 'bin/npx'), `echo "npx $*" >> calls; ${install}`);
}

function install(path = `${root}/bin:/usr/bin:/bin`) {
  const code = `import { runProgram } from '${import.meta.dir}/problem.mjs';
    import { installDependencies } from '${import.meta.dir}/bun.mjs';
    await runProgram(() => installDependencies(process.env.ROOT));`;
  return runNode(code, { ROOT: root, PATH: path });
}

test('the installed Bun installs, without a word and without npx', async () => {
  await fakeNpx(WORKING);
  await writeProgram(local(), WORKING);
  expect(await install()).toEqual({ output: '', errors: '', status: 0 });
  expect(await calls()).toEqual(['bun install --frozen-lockfile']);
});

test('without node_modules, npx fetches the pinned Bun', async () => {
  await fakeNpx(WORKING);
  expect((await install()).status).toBe(0);
  expect(await calls()).toEqual(['npx --yes bun@9.9.9 install --frozen-lockfile']);
});

test('a Bun whose postinstall did not run is thrown away and fetched again', async () => {
  await fakeNpx(WORKING);
  await writeProgram(local(), NO_POSTINSTALL);
  await Bun.write(join(root, 'node_modules/bun/package.json'), '{"version":"9.9.9"}');
  expect((await install()).status).toBe(0);
  expect(await calls()).toEqual(['npx --yes bun@9.9.9 install --frozen-lockfile']);
  expect(await Bun.file(join(root, 'node_modules/bun/package.json')).exists()).toBe(false);
});

test('a Bun of another version is not trusted with the lock file', async () => {
  await fakeNpx(WORKING);
  await writeProgram(local(), WORKING.replace('9.9.9', '9.9.8'));
  expect((await install()).status).toBe(0);
  expect(await calls()).toEqual(['npx --yes bun@9.9.9 install --frozen-lockfile']);
});

test('a failing download is one line that names the cause', async () => {
  await writeProgram(
    join(root, 'bin/npx'),
    'echo "npm warn noise" >&2; echo "npm error network offline" >&2; exit 1',
  );
  const { errors, status } = await install();
  expect(errors).toBe(
    'wharf: the dependencies could not be installed: npm error network offline\n',
  );
  expect(status).toBe(1);
});

test('a Bun that still does not start after the installation is an error', async () => {
  await fakeNpx(NO_POSTINSTALL);
  const { errors, status } = await install();
  expect(errors).toStartWith('wharf: Bun 9.9.9 was installed but does not start');
  expect(status).toBe(1);
});

test('without npx, one line says what to install', async () => {
  const { errors, status } = await install(`${root}/bin`);
  expect(status).toBe(1);
  expect(errors).toMatch(/^wharf: npx, which comes with npm, is needed [^\n]*npm\n$/);
});
