import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Embedded, extractLibraries } from './libraries.ts';

let root: string;
let source: string;
const PATHS = ['addon/lib/addon.node', 'library/lib/library.so.1'];
const contents = (path: string) => `bytes of ${path}`.repeat(10_000);
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const embedded = (version = 'addon-1'): Embedded => ({
  version,
  files: PATHS.map((path) => ({ path, sha256: sha256(contents(path)) })),
  addon: PATHS[0] ?? '',
});

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'wharf-libraries-'));
  source = join(root, 'source');
  for (const path of PATHS) await Bun.write(join(source, path), contents(path));
});
afterAll(() => rm(root, { recursive: true, force: true }));

const newFolder = () => join(root, crypto.randomUUID());

async function isIntact(folder: string): Promise<boolean> {
  const texts = await Promise.all(PATHS.map((path) => readFile(join(folder, path), 'utf8')));
  return texts.every((text, index) => text === contents(PATHS[index] ?? ''));
}

test('libraries keep their places to each other, readable by their owner only', async () => {
  const folder = newFolder();
  const target = await extractLibraries(source, embedded(), folder);
  expect(target).toBe(join(folder, 'addon-1'));
  expect(await isIntact(target)).toBe(true);
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  for (const path of PATHS) expect((await stat(join(target, path))).mode & 0o777).toBe(0o400);
});

test('what is there and right is not written again; what differs is', async () => {
  const folder = newFolder();
  const target = await extractLibraries(source, embedded(), folder);
  const [unchanged = '', changed = ''] = PATHS.map((path) => join(target, path));
  const before = await stat(unchanged);
  await chmod(changed, 0o600);
  await writeFile(changed, 'something else');
  await extractLibraries(source, embedded(), folder);
  expect(await isIntact(target)).toBe(true);
  expect((await stat(unchanged)).ino).toBe(before.ino);
});

test('other versions go, and what a process left that died in the middle', async () => {
  const folder = newFolder();
  await extractLibraries(source, embedded('addon-0'), folder);
  const exitedPid = Bun.spawnSync(['true']).pid;
  await mkdir(join(folder, `job-${exitedPid}-abcdef`));
  await extractLibraries(source, embedded(), folder);
  expect(await readdir(folder)).toEqual(['addon-1']);
});

test('processes that do it at the same time all end with whole libraries', async () => {
  const folder = newFolder();
  const module = JSON.stringify(join(import.meta.dir, 'libraries.ts'));
  const script = `
    const { extractLibraries } = await import(${module});
    await extractLibraries(...${JSON.stringify([source, embedded(), folder])});
  `;
  const processes = Array.from({ length: 3 }, () =>
    Bun.spawn([process.execPath, '-e', script], { stdio: ['ignore', 'ignore', 'inherit'] }),
  );
  expect(await Promise.all(processes.map((one) => one.exited))).toEqual([0, 0, 0]);
  expect(await isIntact(join(folder, 'addon-1'))).toBe(true);
  expect(await readdir(folder)).toEqual(['addon-1']);
});

test('a binary with damaged libraries is told, and nothing of them is put in place', async () => {
  const folder = newFolder();
  const files = [{ path: PATHS[0] ?? '', sha256: sha256('other bytes') }];
  const attempt = extractLibraries(source, { ...embedded(), files }, folder);
  await expect(attempt).rejects.toThrow('is damaged in the binary');
  expect(await readdir(folder, { recursive: true })).toEqual([]);
});
