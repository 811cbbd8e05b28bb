import { afterAll, describe, expect, test } from 'bun:test';
import { sql } from 'kysely';
import { freshDatabase } from '../../../tests/support/server/engines.ts';
import { startFreezingProxy } from '../../../tests/support/services/freezing-proxy.ts';
import { startPostgres } from '../../../tests/support/services/postgres.ts';
import { isUnavailable } from '../../errors.ts';
import type { Database, Executor } from './port.ts';
import { openPostgres } from './postgres.ts';
import { DEFAULT_TIMEOUTS, setRoleDefaults } from './postgres-session.ts';

const postgres = await startPostgres();
const fresh = () => freshDatabase(postgres?.url ?? '');
const isRefused = (work: Promise<unknown>) => work.then(() => false, isUnavailable);

/** Returns settings of a session by their names. */
async function settingsOf(db: Executor, names: string[]): Promise<Record<string, string>> {
  const { rows } = await sql<{ name: string; setting: string }>`
    select name, setting from pg_settings where name in (${sql.join(names)})`.execute(db);
  return Object.fromEntries(rows.map(({ name, setting }) => [name, setting]));
}

const WAITS = ['idle_in_transaction_session_timeout', 'lock_timeout', 'statement_timeout'];
const KEEPALIVES = ['tcp_keepalives_idle', 'tcp_keepalives_interval', 'tcp_keepalives_count'];

test('each wait outlasts what it waits for', () => {
  const { idleInTransactionMs, lockMs, statementMs, queryMs } = DEFAULT_TIMEOUTS;
  const waits = [idleInTransactionMs, lockMs, statementMs, queryMs];
  expect(waits).toEqual([...new Set(waits)].sort((a, b) => a - b));
});

describe.skipIf(!postgres)('a session of PostgreSQL', () => {
  const databases: Database[] = [];
  const open = (...parameters: Parameters<typeof openPostgres>) => {
    const database = openPostgres(...parameters);
    databases.push(database);
    return database;
  };
  afterAll(async () => {
    for (const database of databases) await database.close();
  });

  test('gives up who is gone, waits for nobody for long, and compiles nothing', async () => {
    const { db } = open(await fresh());
    expect(await settingsOf(db, ['jit', 'tcp_user_timeout', ...WAITS, ...KEEPALIVES])).toEqual({
      jit: 'off',
      idle_in_transaction_session_timeout: '10000',
      lock_timeout: '15000',
      statement_timeout: '20000',
      tcp_keepalives_idle: '10',
      tcp_keepalives_interval: '5',
      tcp_keepalives_count: '4',
      tcp_user_timeout: '30000',
    });
  });

  test('of migrations and of who only reads takes as long as it needs', async () => {
    const url = await fresh();
    await setRoleDefaults(open(url).db);
    for (const database of [open(url, { timeouts: null }), open(url, { readOnly: true })]) {
      expect(await settingsOf(database.db, ['jit', ...WAITS])).toEqual({
        jit: 'off',
        idle_in_transaction_session_timeout: '0',
        lock_timeout: '0',
        statement_timeout: '0',
      });
    }
  });

  test('that nobody sets up has what the role starts with, in this database only', async () => {
    const [url, other] = [await fresh(), await fresh()];
    const { db } = open(url);
    await Promise.all(Array.from({ length: 5 }, () => setRoleDefaults(db)));
    const names = ['jit', ...WAITS];
    const hasPooler = { hasPooler: true };
    expect(await settingsOf(open(url, hasPooler).db, names)).toEqual({
      jit: 'off',
      idle_in_transaction_session_timeout: '10000',
      lock_timeout: '15000',
      statement_timeout: '0',
    });
    expect(await settingsOf(open(other, hasPooler).db, names)).toMatchObject({ lock_timeout: '0' });
  });

  test('answers 503 where a lock or a statement takes too long', async () => {
    const timeouts = { ...DEFAULT_TIMEOUTS, lockMs: 50 };
    const { db, transaction } = open(await fresh(), { timeouts });
    await sql`create table counts (n int)`.execute(db);
    await transaction(async (tx) => {
      await sql`lock table counts`.execute(tx);
      expect(await isRefused(sql`select * from counts`.execute(db))).toBe(true);
    });
    await sql`set statement_timeout = 50`.execute(db);
    expect(await isRefused(sql`select pg_sleep(20)`.execute(db))).toBe(true);
  });

  test('that its process has left in the middle of a transaction ends, and with it its locks', async () => {
    const url = await fresh();
    const left = open(url, { timeouts: { ...DEFAULT_TIMEOUTS, idleInTransactionMs: 2000 } });
    const { db } = open(url);
    await sql`create table counts (n int)`.execute(db);
    const isLocked = Promise.withResolvers<void>();
    const isFree = Promise.withResolvers<void>();
    const transaction = left.transaction(async (tx) => {
      await sql`lock table counts`.execute(tx);
      isLocked.resolve();
      await isFree.promise;
      await sql`insert into counts values (1)`.execute(tx);
    });
    await isLocked.promise;
    const { rows } = await sql`select * from counts`.execute(db);
    isFree.resolve();
    expect(await isRefused(transaction)).toBe(true);
    expect(rows).toEqual([]);
  });

  test('that does not answer any more is left, and the next query has another one', async () => {
    await using proxy = await startFreezingProxy(await fresh());
    const timeouts = { ...DEFAULT_TIMEOUTS, queryMs: 2000 };
    const { db, transaction } = open(proxy.url, { timeouts, poolSize: 1 });
    await sql`select 1`.execute(db);
    proxy.freeze();
    expect(await isRefused(sql`select 1`.execute(db))).toBe(true);
    await sql`select 1`.execute(db);
    const inTransaction = transaction(async (tx) => {
      proxy.freeze();
      await sql`select 1`.execute(tx);
    });
    expect(await isRefused(inTransaction)).toBe(true);
    await sql`select 1`.execute(db);
  });
});
