import { afterAll, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { scratch } from '../testing/clips.ts';
import { telltale } from '../testing/pictures.ts';
import { processesIn, until } from '../testing/processes.ts';
import { DecoderPool } from './decoder-pool.ts';
import { decoderProgram } from './program.ts';

const folder = scratch();
afterAll(folder.remove);
const work = join(folder.path, 'work');
const picture = await telltale(1).png().toBuffer();
const files = { source: join(folder.path, 'source'), result: join(folder.path, 'result') };
const task = { kind: 'image', webp: true } as const;
const poolOf = (idleMs: number) =>
  new DecoderPool({ ...decoderProgram(''), workDir: work, idleMs });
await mkdir(work);

test('a stop also waits for a decoder that ends because it was idle', async () => {
  const idleMs = 1;
  const pool = poolOf(idleMs);
  await Bun.write(files.source, picture);
  await pool.decode(task, files, new AbortController().signal);
  // The timer of the idle decoder was set before this one, so it is over first.
  await Bun.sleep(idleMs);
  await pool.stop();
  expect(readdirSync(work)).toEqual([]);
  expect(processesIn(work)).toEqual([]);
});

test('a decoder that starts when its task is cancelled ends at once', async () => {
  const pool = poolOf(60_000);
  await Bun.write(files.source, picture);
  const abort = new AbortController();
  const decoded = pool.decode(task, files, abort.signal);
  decoded.catch(() => {});
  await until(() => readdirSync(work).length > 0);
  abort.abort(new Error('cancelled'));
  await expect(decoded).rejects.toThrow('cancelled');
  expect(readdirSync(work)).toEqual([]);
  expect(await Bun.file(files.source).exists()).toBe(true);
});
