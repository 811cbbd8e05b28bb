import { expect, test } from 'bun:test';
import { type CompiledQuery, Kysely, sql } from 'kysely';
import { describeEachEngine } from '../../../tests/support/server/engines.ts';
import { awaitAll } from './await-all.ts';
import type { Database, Executor } from './port.ts';
import { ThreadedSqliteDialect } from './sqlite/dialect.ts';
import type { Answer, Query } from './sqlite/protocol.ts';

const add = (db: Executor, name: string) => sql`insert into things values (${name})`.execute(db);
const read = async (db: Executor) => {
  const { rows } = await sql<{ name: string }>`select name from things order by name`.execute(db);
  return rows.map(({ name }) => name);
};

await describeEachEngine('statements that are started together', (open) => {
  async function openThings(): Promise<Database> {
    const database = await open();
    await sql`create table things (name text primary key)`.execute(database.db);
    return database;
  }

  test('run in their order, and each returns its result', async () => {
    const { db, transaction } = await openThings();
    const results = await transaction((tx) =>
      awaitAll(add(tx, 'a'), read(tx), add(tx, 'b'), read(tx)),
    );
    expect([results[1], results[3]]).toEqual([['a'], ['a', 'b']]);
    expect(await read(db)).toEqual(['a', 'b']);
  });

  test('are undone where one fails, with all that the others write afterwards', async () => {
    const { db, transaction } = await openThings();
    await add(db, 'taken');
    const addTwo = async (tx: Executor) => {
      await add(tx, 'c');
      await add(tx, 'd');
    };
    const failing = transaction((tx) =>
      awaitAll(add(tx, 'a'), addTwo(tx), add(tx, 'taken'), add(tx, 'b')),
    );
    const error = await failing.catch((reason) => reason);
    expect(String(error)).toMatch(/unique/i);
    await transaction((tx) => add(tx, 'next'));
    expect(await read(db)).toEqual(['next', 'taken']);
  });

  test('end before their transaction does, although another has failed', async () => {
    const { transaction } = await openThings();
    const ended: string[] = [];
    const failing = transaction(async (tx) => {
      const late = async () => {
        await read(tx).finally(() => ended.push('late'));
        await read(tx).catch(() => {});
        ended.push('later');
      };
      await awaitAll(Promise.reject(new Error('first')), late());
    });
    const error = await failing.catch((reason) => reason);
    expect(String(error)).toBe('Error: first');
    expect(ended).toEqual(['late', 'later']);
  });
});

test('on SQLite each is sent before the one before it is answered', async () => {
  const sent: { text: string; answer: (answer: Answer) => void }[] = [];
  const run = ({ sql: text }: Query | CompiledQuery) =>
    new Promise<Answer>((answer) => sent.push({ text, answer }));
  const dialect = new ThreadedSqliteDialect({
    run,
    begin: async () => ({ run, commit: async () => {}, rollback() {} }),
    check: async () => {},
    close: async () => {},
  });
  const work = dialect.transaction(new Kysely<unknown>({ dialect }), (tx) =>
    awaitAll(sql`select 1`.execute(tx), sql`select 2`.execute(tx)),
  );
  await Bun.sleep(0);
  expect(sent.map(({ text }) => text)).toEqual(['select 1', 'select 2']);
  for (const { text, answer } of sent) answer({ rows: [{ text }] });
  expect((await work).map(({ rows }) => rows)).toEqual([
    [{ text: 'select 1' }],
    [{ text: 'select 2' }],
  ]);
});
