import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import type { Database, Executor } from '../port.ts';
import { openSqlite } from './open.ts';
import { WaitQueue } from './wait-queue.ts';

let folder = '';
let database: Database;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'wharf-writer-'));
  database = openSqlite(join(folder, 'wharf.db'));
  await sql`create table things (name text primary key, size text)`.execute(database.db);
});
afterEach(async () => {
  await database.close();
  await rm(folder, { recursive: true });
});

const add = (db: Executor, name: string, size = '') =>
  sql`insert into things values (${name}, ${size})`.execute(db);
const names = async () => {
  const { rows } = await sql<{ name: string }>`select name from things order by name`.execute(
    database.db,
  );
  return rows.map(({ name }) => name);
};
/** Adds two rows in a transaction, and throws between them if it `fails`. */
const addPair = (name: string, { fails = false } = {}) =>
  database.transaction(async (tx) => {
    await add(tx, `${name}1`);
    if (fails) throw new Error(name);
    await add(tx, `${name}2`);
  });
const outcomesOf = async (all: Promise<unknown>[]) =>
  (await Promise.allSettled(all)).map((end) =>
    end.status === 'rejected'
      ? ((end.reason as { status?: number }).status ?? String(end.reason))
      : 'ok',
  );

describe('transactions that are joined into one commit', () => {
  test('are each all or nothing, wherever in the batch one throws', async () => {
    for (const failing of ['a', 'b', 'd']) {
      await sql`delete from things`.execute(database.db);
      const all = ['a', 'b', 'c', 'd'].map((name) => addPair(name, { fails: name === failing }));
      expect(await outcomesOf(all)).toEqual(
        ['a', 'b', 'c', 'd'].map((name) => (name === failing ? `Error: ${name}` : 'ok')),
      );
      const kept = ['a', 'b', 'c', 'd'].filter((name) => name !== failing);
      expect(await names()).toEqual(kept.flatMap((name) => [`${name}1`, `${name}2`]));
    }
  });

  test('are joined with single statements, one of which may fail', async () => {
    await add(database.db, 'x');
    const all = [addPair('a'), add(database.db, 'x'), add(database.db, 'y'), addPair('b')];
    const outcomes = await outcomesOf(all);
    expect(outcomes[1]).toContain('UNIQUE constraint failed');
    expect([outcomes[0], ...outcomes.slice(2)]).toEqual(['ok', 'ok', 'ok']);
    expect(await names()).toEqual(['a1', 'a2', 'b1', 'b2', 'x', 'y']);
  });

  test('see what came before them in the batch', async () => {
    const take = () =>
      database.transaction(async (tx) => {
        const { rows } = await sql`select 1 from things`.execute(tx);
        await add(tx, `${rows.length}`);
      });
    await Promise.all(Array.from({ length: 20 }, take));
    expect(await names()).toHaveLength(20);
  });

  test('are all refused when the disk is full and SQLite undoes them, those after them are not', async () => {
    const limit = async (pages: number) => {
      await database.transaction((tx) => sql.raw(`pragma max_page_count = ${pages}`).execute(tx));
    };
    await limit(4);
    const fill = () =>
      database.transaction(async (tx) => {
        await add(tx, 'large', 'x'.repeat(100_000));
      });
    const all = [addPair('a'), fill(), addPair('b'), add(database.db, 'c')];
    expect(await outcomesOf(all)).toEqual([507, 507, 'ok', 'ok']);
    expect(await names()).toEqual(['b1', 'b2', 'c']);
    await limit(1000);
    await addPair('d');
    expect(await names()).toEqual(['b1', 'b2', 'c', 'd1', 'd2']);
  });
});

test('a transaction that awaits anything but its statements fails, and lets the others go on', async () => {
  const waiting = database.transaction(async (tx) => {
    await add(tx, 'a');
    await Bun.sleep(20);
    await add(tx, 'b');
  });
  expect(await outcomesOf([waiting, addPair('c')])).toEqual([
    expect.stringContaining('awaits something other than its own statements'),
    'ok',
  ]);
  expect(await names()).toEqual(['c1', 'c2']);
});

test('a closed database has finished what waited', async () => {
  const path = join(folder, 'other.db');
  const first = openSqlite(path);
  await sql`create table things (name text, size text)`.execute(first.db);
  const writes = ['a', 'b', 'c'].map((name) =>
    first.transaction(async (tx) => void (await add(tx, name))),
  );
  await new Promise((resolve) => setImmediate(resolve));
  await Promise.all([...writes, first.close()]);
  await expect(add(first.db, 'd')).rejects.toThrow('destroyed');
  const second = openSqlite(path);
  const { rows } = await sql`select name from things`.execute(second.db);
  expect(rows).toHaveLength(3);
  await second.close();
});

describe('what waits for a thread', () => {
  const wait = (queue: WaitQueue) =>
    new Promise<void>((resolve, reject) => queue.add(resolve, reject));

  test('is refused with 503 beyond a number', async () => {
    const queue = new WaitQueue({ maxWaiting: 1, maxWaitMs: 60_000 });
    const first = wait(queue);
    await expect(wait(queue)).rejects.toMatchObject({
      status: 503,
      headers: { 'retry-after': '2' },
    });
    queue.startNext();
    await first;
  });

  test('is refused with 503 after a time', async () => {
    const overdue = Promise.withResolvers<void>();
    const queue = new WaitQueue({ maxWaiting: 2, maxWaitMs: 1, onOverdue: overdue.resolve });
    expect(await wait(queue).catch(({ status }) => status)).toBe(503);
    await overdue.promise;
    expect(queue.length).toBe(0);
  });
});
