import { afterAll, expect, test } from 'bun:test';
import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { scratch } from './testing/clips.ts';
import { clearStaleFolders, makeWorkFolder } from './work-folder.ts';

const folder = scratch();
afterAll(folder.remove);

test('a work folder is private, new each time, below one that is made where missing', async () => {
  const workDir = join(folder.path, 'a/b');
  const [one, two] = await Promise.all([makeWorkFolder(workDir), makeWorkFolder(workDir)]);
  expect(one).not.toBe(two);
  expect(statSync(one).mode & 0o777).toBe(0o700);
  expect(statSync(workDir).mode & 0o777).toBe(0o700);
});

test('folders of dead processes are removed, those of running ones and other files stay', async () => {
  const workDir = join(folder.path, 'work');
  const dead = Bun.spawn(['true']);
  await dead.exited;
  for (const name of [
    `job-${dead.pid}-x/out`,
    `job-${process.pid}-y`,
    `job-${process.ppid}-z`,
    'photos',
  ]) {
    mkdirSync(join(workDir, name), { recursive: true });
  }
  await clearStaleFolders(workDir);
  expect(readdirSync(workDir).sort()).toEqual([`job-${process.ppid}-z`, 'photos'].sort());
});

test('nothing to clear is not an error', async () => {
  await clearStaleFolders(join(folder.path, 'none'));
});
