import { afterAll, beforeAll, expect, test } from 'bun:test';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { canInstallPackages, installCommand, startingNothing } from './debian.mjs';
import { temporaryFolder, writeProgram } from './testing/fake-bin.ts';

const DEBIAN = 'PRETTY_NAME="Debian GNU/Linux 12"\nID=debian\n';
const UBUNTU = 'NAME="Ubuntu"\nID=ubuntu\nID_LIKE=debian\n';
const MINT = 'ID=linuxmint\nID_LIKE="ubuntu debian"\n';
const FEDORA = 'ID=fedora\nVARIANT="not debian"\n';

const hasSystemd = false;
let path: string;
beforeAll(async () => {
  path = await temporaryFolder();
  await writeProgram(join(path, 'apt-get'), '');
});
afterAll(() => rm(path, { recursive: true }));

test.each([DEBIAN, UBUNTU, MINT])('root may install packages on %j', (osRelease) => {
  expect(canInstallPackages({ uid: 0, osRelease, path, hasSystemd })).toBe(true);
});

test('nobody else may, nor on another system, nor without apt-get', () => {
  expect(canInstallPackages({ uid: 1000, osRelease: DEBIAN, path, hasSystemd })).toBe(false);
  expect(canInstallPackages({ uid: undefined, osRelease: DEBIAN, path, hasSystemd })).toBe(false);
  expect(canInstallPackages({ uid: 0, osRelease: FEDORA, path, hasSystemd })).toBe(false);
  expect(canInstallPackages({ uid: 0, osRelease: '', path, hasSystemd })).toBe(false);
  expect(canInstallPackages({ uid: 0, osRelease: DEBIAN, path: '/nowhere', hasSystemd })).toBe(
    false,
  );
});

test('the command for a person has sudo where they are not root, and apt-get where there is one', () => {
  const machine = { uid: 1000, osRelease: DEBIAN, path, hasSystemd };
  expect(installCommand(['nginx', 'wrk'], machine)).toBe('sudo apt-get install nginx wrk');
  expect(installCommand(['nginx'], { ...machine, uid: 0 })).toBe('apt-get install nginx');
  expect(installCommand(['nginx'], { ...machine, osRelease: FEDORA })).toBe(
    "your system's packages of nginx",
  );
});

test('packages are told to start nothing, only while they are installed', async () => {
  const policy = join(path, 'policy-rc.d');
  const status = startingNothing(() => Bun.spawnSync([policy, 'nginx', 'start']).exitCode, policy);
  expect(status).toBe(101);
  expect(await Bun.file(policy).exists()).toBe(false);
  const fails = () => {
    throw new Error('no network');
  };
  expect(() => startingNothing(fails, policy)).toThrow('no network');
  expect(await Bun.file(policy).exists()).toBe(false);
});

test("a machine's own policy of what may start is left as it is", async () => {
  const policy = await writeProgram(join(path, 'own-policy'), 'exit 104');
  expect(startingNothing(() => Bun.spawnSync([policy]).exitCode, policy)).toBe(104);
  expect(await Bun.file(policy).exists()).toBe(true);
});
