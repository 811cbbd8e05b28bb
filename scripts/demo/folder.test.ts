import { expect, test } from 'bun:test';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDemoFolder } from './folder.ts';

const scratch = await mkdtemp(join(tmpdir(), 'wharf-demo-test-'));
process.on('exit', () => void rm(scratch, { recursive: true, force: true }));

test('a folder that no demo has created is refused and stays as it is', async () => {
  const own = join(scratch, 'own');
  await mkdir(own);
  await writeFile(join(own, 'wharf.db'), 'rows');
  await expect(openDemoFolder(own)).rejects.toThrow('not the folder of a demo');
  expect(await readdir(own)).toEqual(['wharf.db']);
});

test('a file instead of a folder is refused', async () => {
  const file = join(scratch, 'file');
  await writeFile(file, '');
  await expect(openDemoFolder(file)).rejects.toThrow('ENOTDIR');
});

test('an interrupted demo starts over, a complete one is kept, both with their password', async () => {
  const path = join(scratch, 'demo');
  const first = await openDemoFolder(path);
  await mkdir(first.dataDir);
  const second = await openDemoFolder(path);
  expect(second.password).toBe(first.password);
  expect(await readdir(path)).toEqual(['demo.json']);
  await mkdir(second.dataDir);
  await second.complete();
  expect((await openDemoFolder(path)).isComplete).toBe(true);
  expect((await readdir(path)).sort()).toEqual(['data', 'demo.json']);
});
