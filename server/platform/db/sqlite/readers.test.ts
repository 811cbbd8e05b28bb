import { afterAll, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../../../tests/support/client/wait.ts';
import { connectWriter } from './connection.ts';
import { Readers } from './readers.ts';

const folder = await mkdtemp(join(tmpdir(), 'wharf-readers-'));
const path = join(folder, 'wharf.db');
const writer = connectWriter(path);
writer.file.run('create table things (id integer)');
afterAll(async () => {
  writer.close();
  await rm(folder, { recursive: true });
});
const one = { sql: 'select 1 as one', parameters: [] };

test('a thread that is not used ends, and the next statement starts another', async () => {
  const readers = new Readers(path, { idleMs: 1 });
  expect(readers.threads).toBe(0);
  for (let round = 0; round < 3; round += 1) {
    expect((await readers.run(one)).rows).toEqual([{ one: 1 }]);
    await until(async () => readers.threads === 0);
  }
  await readers.close();
});

test('statements that run together share few threads, and all are answered while threads end', async () => {
  const readers = new Readers(path, { idleMs: 0 });
  const threads: number[] = [];
  const run = async () => {
    for (let i = 0; i < 20; i += 1) {
      await readers.run(one);
      threads.push(readers.threads);
    }
  };
  await Promise.all(Array.from({ length: 8 }, run));
  expect(threads).toHaveLength(160);
  expect(Math.max(...threads)).toBe(2);
  await readers.close();
  expect(readers.threads).toBe(0);
});
