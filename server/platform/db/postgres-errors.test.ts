import { afterAll, describe, expect, test } from 'bun:test';
import { sql } from 'kysely';
import { freshDatabase } from '../../../tests/support/server/engines.ts';
import { freePort } from '../../../tests/support/server/free-port.ts';
import { startPostgres } from '../../../tests/support/services/postgres.ts';
import { AppError, isUnavailable } from '../../errors.ts';
import type { Database } from './port.ts';
import { openPostgres } from './postgres.ts';
import { translateErrors } from './postgres-errors.ts';

const postgres = await startPostgres();
const databases: Database[] = [];
const open = (url: string) => {
  const database = openPostgres(url);
  databases.push(database);
  return database;
};
afterAll(async () => {
  for (const database of databases) await database.close();
});

test('a server that is not there is a 503, to be tried again', async () => {
  const database = open(`postgres://nobody@127.0.0.1:${await freePort()}/none`);
  for (const query of [
    () => database.check(),
    () => database.transaction(async (tx) => void (await sql`select 1`.execute(tx))),
  ]) {
    const error = await query().catch((thrown) => thrown);
    expect(error).toBeInstanceOf(AppError);
    expect(error).toMatchObject({
      status: 503,
      text: 'The database is not responding. Try again in a moment.',
    });
    expect(error.headers['retry-after']).toBe('2');
    expect(isUnavailable(error)).toBe(true);
  }
});

test('a text with a NUL in it is what was sent, and no fault of ours', async () => {
  if (!postgres) return;
  const database = open(await freshDatabase(postgres.url));
  const query = sql`select ${'\u0000'}::text`.execute(database.db);
  await expect(query).rejects.toMatchObject({ status: 422, code: 'invalid' });
});

test('mistakes of ours stay what they are', () => {
  const mistake = Object.assign(new Error('syntax error'), { code: '42601' });
  expect(translateErrors(mistake)).toBe(mistake);
  expect(translateErrors(null)).toBe(null);
  expect(translateErrors(Object.assign(new Error(), { code: '53100' }))).toMatchObject({
    status: 507,
  });
});

test.each(['57P05', '25006'])('a connection that the server gives up (%s) is a 503', (code) => {
  expect(translateErrors(Object.assign(new Error(), { code }))).toMatchObject({ status: 503 });
});

describe.skipIf(!postgres)('a PostgreSQL', () => {
  const fresh = async () => open(await freshDatabase(postgres?.url ?? ''));

  test('that ends a connection in the middle of a query answers 503, and is there for the next', async () => {
    const database = await fresh();
    const asking = sql`select pg_terminate_backend(pg_backend_pid())`.execute(database.db);
    expect(isUnavailable(await asking.catch((error) => error))).toBe(true);
    const inTransaction = database.transaction(async (tx) => {
      await sql`select pg_terminate_backend(pg_backend_pid())`.execute(tx);
    });
    expect(isUnavailable(await inTransaction.catch((error) => error))).toBe(true);
    await database.check();
  });

  test('that undoes one of two transactions which wait for each other sees both done', async () => {
    const database = await fresh();
    await sql`create table counts (id int primary key, n int not null)`.execute(database.db);
    await sql`insert into counts values (1, 0), (2, 0)`.execute(database.db);
    let runs = 0;
    // Each transaction waits until the other one has locked its first row, so that neither can lock its
    // second.
    const locks = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const add = (first: number, second: number) =>
      database.transaction(async (tx) => {
        runs += 1;
        await sql`update counts set n = n + 1 where id = ${first}`.execute(tx);
        locks[first - 1]?.resolve();
        await locks[second - 1]?.promise;
        await sql`update counts set n = n + 1 where id = ${second}`.execute(tx);
      });
    await Promise.all([add(1, 2), add(2, 1)]);
    const { rows } = await sql`select n from counts`.execute(database.db);
    expect(rows).toEqual([{ n: 2 }, { n: 2 }]);
    expect(runs).toBeGreaterThan(2);
  });

  test('in which two take one value at once shows the second that it is taken', async () => {
    const database = await fresh();
    await sql`create table names (name text primary key)`.execute(database.db);
    const looked = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const take = (own: number) =>
      database.transaction(async (tx) => {
        const { rows } = await sql`select name from names`.execute(tx);
        if (rows.length > 0) return false;
        looked[own]?.resolve();
        await looked[1 - own]?.promise;
        await sql`insert into names values ('ada')`.execute(tx);
        return true;
      });
    expect((await Promise.all([take(0), take(1)])).sort()).toEqual([false, true]);
    // A value that stays taken is reported after the last attempt.
    const insisting = database.transaction((tx) =>
      sql`insert into names values ('ada')`.execute(tx),
    );
    await expect(insisting).rejects.toMatchObject({ code: '23505' });
  });

  test('that tells its transactions apart more strictly has the one run again that it refuses', async () => {
    const url = await freshDatabase(postgres?.url ?? '');
    const before = open(url);
    const name = sql.ref(new URL(url).pathname.slice(1));
    await sql`create table counts (n int not null)`.execute(before.db);
    await sql`insert into counts values (0)`.execute(before.db);
    await sql`alter database ${name} set default_transaction_isolation = 'serializable'`.execute(
      before.db,
    );
    const database = open(url);
    const add = () =>
      database.transaction(async (tx) => {
        const { rows } = await sql<{ n: number }>`select n from counts`.execute(tx);
        await Bun.sleep(50);
        await sql`update counts set n = ${(rows[0]?.n ?? 0) + 1}`.execute(tx);
      });
    await Promise.all([add(), add(), add()]);
    const { rows } = await sql`select n from counts`.execute(database.db);
    expect(rows).toEqual([{ n: 3 }]);
  });
});
