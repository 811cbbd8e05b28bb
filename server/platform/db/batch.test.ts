import { expect, test } from 'bun:test';
import { sql } from 'kysely';
import { describeEachEngine, describeOnPostgres } from '../../../tests/support/server/engines.ts';
import { conflict } from '../../errors.ts';
import { runStatements, type Statement } from './batch.ts';
import type { Database } from './port.ts';

async function openThings(open: () => Promise<Database>) {
  const database = await open();
  const { db } = database;
  await sql`create table things (name text primary key, size bigint not null)`.execute(db);
  const statement = (query: ReturnType<typeof sql>, more: Partial<Statement> = {}): Statement => ({
    query: query.compile(db),
    ...more,
  });
  return {
    ...database,
    statement,
    add: (name: string, more: Partial<Statement> = {}) =>
      statement(sql`insert into things values (${name}, 1)`, more),
    grow: (name: string, more: Partial<Statement> = {}) =>
      statement(sql`update things set size = size + 1 where name = ${name}`, more),
    things: async () => {
      const { rows } = await sql<{ name: string; size: number }>`
        select name, size from things order by name`.execute(db);
      return rows.map(({ name, size }) => `${name}${size}`);
    },
  };
}

const failureOf = (work: Promise<unknown>) => work.then(() => 'ok', String);

await describeEachEngine('a batch', (open) => {
  test('runs its statements in their order', async () => {
    const { batch, add, grow, things } = await openThings(open);
    await batch([add('a', { expect: 1 }), grow('a', { expect: 1 }), grow('b', { expect: 0 })]);
    expect(await things()).toEqual(['a2']);
  });

  test('is undone where a guard fails, whichever it is, and says so', async () => {
    const { batch, add, grow, statement, things } = await openThings(open);
    await batch([add('a')]);
    const guards = [
      grow('b', { expect: 1 }),
      grow('a', { expect: 0 }),
      statement(sql`select 1 from things where name = 'b'`, { expect: 1 }),
      statement(sql`delete from things where name = 'b' returning name`, { expect: 1 }),
    ];
    for (const guard of guards) {
      for (const statements of [
        [guard, add('c')],
        [add('c'), guard],
      ]) {
        const position = statements.indexOf(guard);
        expect(await failureOf(batch(statements))).toContain(`Statement ${position} of a batch`);
        expect(await things()).toEqual(['a1']);
      }
    }
  });

  test('throws what the statement of the failed guard says, and asks it once the batch is undone', async () => {
    const { batch, transaction, add, grow, things } = await openThings(open);
    let seen: string[] | undefined;
    const otherwise = async () => {
      seen = await things();
      return conflict('It is gone.');
    };
    const statements = [add('a', { expect: 1 }), grow('b', { expect: 1, otherwise })];
    // One after the other: of two that write the same row at once, one may fail for that.
    for (const fail of [
      () => batch(statements),
      () => transaction((tx) => runStatements(tx, statements)),
    ]) {
      expect(await fail().catch(({ code }) => code)).toBe('conflict');
      expect(seen).toEqual([]);
    }
  });

  test('is undone where a unique value is taken, and that is not tried again', async () => {
    const { batch, add, things } = await openThings(open);
    await batch([add('a')]);
    expect(await failureOf(batch([add('b'), add('a')]))).toMatch(/unique/i);
    expect(await things()).toEqual(['a1']);
  });

  test('leaves the writes alone that run at the same time', async () => {
    const { db, batch, transaction, add, grow, things } = await openThings(open);
    const outcomes = await Promise.all([
      failureOf(batch([add('a'), grow('x', { expect: 1 })])),
      failureOf(batch([add('b'), grow('b', { expect: 1 })])),
      failureOf(transaction((tx) => sql`insert into things values ('c', 1)`.execute(tx))),
      failureOf(batch([add('d'), grow('x', { expect: 1 })])),
      failureOf(sql`insert into things values ('e', 1)`.execute(db)),
      failureOf(batch([add('f'), add('f')])),
      failureOf(batch([add('g')])),
    ]);
    expect(outcomes.map((outcome) => outcome === 'ok')).toEqual([
      false,
      true,
      true,
      false,
      true,
      false,
      true,
    ]);
    expect(await things()).toEqual(['b2', 'c1', 'e1', 'g1']);
  });

  test('lets no two of them pass a limit together', async () => {
    const { batch, add, statement, things } = await openThings(open);
    await batch([add('a')]);
    const take = () =>
      batch([
        statement(sql`update things set size = size + 1 where name = 'a' and size + 1 <= 6`, {
          expect: 1,
        }),
      ]);
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => failureOf(take())));
    expect(outcomes.filter((outcome) => outcome === 'ok')).toHaveLength(5);
    expect(await things()).toEqual(['a6']);
  });
});

await describeOnPostgres('a batch on PostgreSQL', (open) => {
  test('is tried again where it was chosen to end a deadlock', async () => {
    const { db, batch, transaction, add, grow, things } = await openThings(open);
    await batch([add('a'), add('b')]);
    const isWaiting = async () => {
      const { rows } = await sql`select 1 from pg_locks where not granted and pid in
        (select pid from pg_stat_activity where datname = current_database())`.execute(db);
      return rows.length > 0;
    };
    let growing: Promise<unknown> = Promise.resolve();
    let isFirst = true;
    await transaction(async (tx) => {
      await tx.executeQuery(grow('b').query);
      if (isFirst) {
        isFirst = false;
        growing = batch([grow('a'), grow('b')]);
        while (!(await isWaiting())) await Bun.sleep(5);
      }
      // It waits for the batch, which waits for it. The server ends one of them.
      await tx.executeQuery(grow('a').query);
    });
    await growing;
    expect(await things()).toEqual(['a3', 'b3']);
  });
});
