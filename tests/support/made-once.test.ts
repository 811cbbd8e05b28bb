import { afterAll, expect, test } from 'bun:test';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { copyOfMadeOnce, madeOnce } from './made-once.ts';

/** Of this run alone, so that nothing is there yet. */
const run = crypto.randomUUID();
const made: string[] = [];
afterAll(() => Promise.all(made.map((path) => rm(path, { force: true }))));

async function ask(options: unknown, text: string) {
  let isMade = false;
  const path = await madeOnce('sample.txt', [run, options], async (unfinished) => {
    isMade = true;
    await writeFile(unfinished, text);
  });
  made.push(path);
  return { path, isMade, text: await readFile(path, 'utf8') };
}

test('a file is made at the first call, and is there at the next', async () => {
  expect(await ask(1, 'first')).toMatchObject({ isMade: true, text: 'first' });
  expect(await ask(1, 'second')).toMatchObject({ isMade: false, text: 'first' });
});

test('other options are another file', async () => {
  expect(await ask(2, 'two')).toMatchObject({ isMade: true, text: 'two' });
});

test('many who ask at once all get a whole file', async () => {
  const all = await Promise.all([1, 2, 3, 4].map((n) => ask('many', String(n).repeat(1e6))));
  expect(new Set(all.map(({ path }) => path)).size).toBe(1);
  for (const { text } of all)
    expect(text).toMatch(/^(1{1000000}|2{1000000}|3{1000000}|4{1000000})$/);
});

test('what failed half way is not kept', async () => {
  const failing = madeOnce('sample.txt', [run, 'failing'], async (path) => {
    await writeFile(path, 'half');
    throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  expect(await ask('failing', 'whole')).toMatchObject({ isMade: true, text: 'whole' });
});

test('a copy may be changed', async () => {
  const { path } = await ask('copied', 'kept');
  const copy = join(tmpdir(), `wharf-made-once-${run}`);
  made.push(copy);
  await copyOfMadeOnce(copy, 'sample.txt', [run, 'copied'], () => Promise.reject());
  await writeFile(copy, 'changed');
  expect(await readFile(path, 'utf8')).toBe('kept');
});
