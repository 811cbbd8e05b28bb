import { describe, expect, test } from 'bun:test';
import { sql } from 'kysely';
import { freshDatabase } from '../../../tests/support/server/engines.ts';
import { startPostgres } from '../../../tests/support/services/postgres.ts';
import { GuardFailedError } from './batch.ts';
import type { Executor } from './port.ts';
import { openPostgres } from './postgres.ts';
import { prepareStatement } from './prepare-statement.ts';

const postgres = await startPostgres();

const findAll = prepareStatement(
  (_db, { least }: { least: number }) =>
    sql<Record<string, number>>`select * from counts where n >= ${least}`,
);
const insert = prepareStatement(
  (_db, { n }: { n: number }) => sql`insert into counts (n) values (${n}) returning *`,
);

/** Returns the texts that the session of a connection keeps. */
const keptBy = async (db: Executor) => {
  const { rows } = await sql<{ statement: string }>`
    select statement from pg_prepared_statements`.execute(db);
  return rows.map(({ statement }) => statement);
};

describe.skipIf(!postgres)('a session of PostgreSQL', () => {
  const open = async (options: Parameters<typeof openPostgres>[1] = {}) => {
    const database = openPostgres(await freshDatabase(postgres?.url ?? ''), options);
    await sql`create table counts (n bigint not null)`.execute(database.db);
    return database;
  };

  test('keeps the statements that are built once, and no others', async () => {
    const database = await open({ poolSize: 1 });
    const { db } = database;
    for (const n of [1, 2]) await insert(db, { n });
    await database.transaction(async (tx) => void (await findAll(tx, { least: 1 })));
    await sql`select n from counts where n = ${1}`.execute(db);
    expect((await findAll(db, { least: 2 })).rows).toEqual([{ n: 2 }]);
    expect((await keptBy(db)).sort()).toEqual([
      'insert into counts (n) values ($1) returning *',
      'select * from counts where n >= $1',
    ]);
    await database.close();
  });

  test.each([{ hasPooler: true }, { timeouts: null }])(
    'keeps none where it may be of others, or its tables are being changed: %p',
    async (options) => {
      const database = await open({ ...options, poolSize: 1 });
      await insert(database.db, { n: 1 });
      expect(await keptBy(database.db)).toEqual([]);
      await database.close();
    },
  );

  test('answers statements whose table a newer version has given another column', async () => {
    const database = await open({ poolSize: 3 });
    const { db } = database;
    const askAll = () => Promise.all([1, 1, 1].map((least) => findAll(db, { least })));
    await insert(db, { n: 1 });
    await askAll();
    await sql`alter table counts add column m bigint not null default 5`.execute(db);
    for (const { rows } of await askAll()) expect(rows).toEqual([{ n: 1, m: 5 }]);
    // They are kept again, under other names.
    await askAll();

    await sql`alter table counts add column k bigint not null default 6`.execute(db);
    let runs = 0;
    const rows = await database.transaction(async (tx) => {
      runs += 1;
      await insert(tx, { n: 2 });
      return (await findAll(tx, { least: 2 })).rows;
    });
    // The first attempt is undone: nothing of it is there twice.
    expect(rows).toEqual([{ n: 2, m: 5, k: 6 }]);
    expect(runs).toBe(2);

    await insert(db, { n: 2 });
    await askAll();
    await sql`alter table counts drop column m`.execute(db);
    await database.batch([
      { query: insert.query(db, { n: 3 }), expect: 1 },
      { query: insert.query(db, { n: 3 }), expect: 1 },
    ]);
    expect((await findAll(db, { least: 3 })).rows).toEqual([
      { n: 3, k: 6 },
      { n: 3, k: 6 },
    ]);
    await database.close();
  });

  test('keeps a statement only once it was accepted, where one before it in a batch fails', async () => {
    const database = await open({ poolSize: 1 });
    const { db } = database;
    const refused = { query: insert.query(db, { n: 1 }), expect: 2 };
    const broken = { query: sql`select 1 / 0`.compile(db) };
    await expect(database.batch([broken, refused, refused])).rejects.toMatchObject({
      code: '22012',
    });
    await expect(database.batch([refused, refused])).rejects.toBeInstanceOf(GuardFailedError);
    await database.batch([{ ...refused, expect: 1 }]);
    expect((await findAll(db, { least: 0 })).rows).toEqual([{ n: 1 }]);
    await database.close();
  });
});
