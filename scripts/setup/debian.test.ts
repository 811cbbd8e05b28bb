import { afterAll, beforeAll, expect, test } from 'bun:test';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { canInstallPackages } from './debian.mjs';
import { temporaryFolder, writeProgram } from './fake-bin.ts';

const DEBIAN = 'PRETTY_NAME="Debian GNU/Linux 12"\nID=debian\n';
const UBUNTU = 'NAME="Ubuntu"\nID=ubuntu\nID_LIKE=debian\n';
const MINT = 'ID=linuxmint\nID_LIKE="ubuntu debian"\n';
const FEDORA = 'ID=fedora\nVARIANT="not debian"\n';

let path: string;
beforeAll(async () => {
  path = await temporaryFolder();
  await writeProgram(join(path, 'apt-get'), '');
});
afterAll(() => rm(path, { recursive: true }));

test.each([DEBIAN, UBUNTU, MINT])('root may install packages on %j', (osRelease) => {
  expect(canInstallPackages({ uid: 0, osRelease, path })).toBe(true);
});

test('nobody else may, nor on another system, nor without apt-get', () => {
  expect(canInstallPackages({ uid: 1000, osRelease: DEBIAN, path })).toBe(false);
  expect(canInstallPackages({ uid: undefined, osRelease: DEBIAN, path })).toBe(false);
  expect(canInstallPackages({ uid: 0, osRelease: FEDORA, path })).toBe(false);
  expect(canInstallPackages({ uid: 0, osRelease: '', path })).toBe(false);
  expect(canInstallPackages({ uid: 0, osRelease: DEBIAN, path: '/nowhere' })).toBe(false);
});
