import { afterAll, describe, expect, test } from 'bun:test';
import { Client } from 'pg';
import { until } from '../../../tests/support/client/wait.ts';
import { freshDatabase } from '../../../tests/support/server/engines.ts';
import { startPostgres } from '../../../tests/support/services/postgres.ts';
import { openMemoryLocks } from './memory.ts';
import type { Locks } from './port.ts';
import { PostgresLocks } from './postgres.ts';

const postgres = await startPostgres();

/** Returns the processes that hold locks in the database of `admin`. Other tests hold locks in theirs. */
async function holders(admin: Client): Promise<number[]> {
  const { rows } = await admin.query<{ pid: number }>(
    `select distinct pid from pg_locks where locktype = 'advisory'
     and database = (select oid from pg_database where datname = current_database())`,
  );
  return rows.map(({ pid }) => pid);
}

function describeLocks(name: string, open: () => Promise<Locks>) {
  describe(name, () => {
    let locks: Locks | undefined;
    afterAll(() => locks?.close());
    const get = async () => {
      locks ??= await open();
      return locks;
    };

    test('are held once at a time, by name', async () => {
      const all = await get();
      const one = await all.tryTake('one');
      expect(one).not.toBeNull();
      expect(await all.tryTake('one')).toBeNull();
      const other = await all.tryTake('other');
      expect(other).not.toBeNull();
      await one?.release();
      const second = await all.tryTake('one');
      expect(second).not.toBeNull();
      await one?.release();
      expect(await all.tryTake('one')).toBeNull();
      await second?.release();
      await other?.release();
    });

    test('go to one of many who come at once', async () => {
      const all = await get();
      const results = await Promise.all(Array.from({ length: 20 }, () => all.tryTake('race')));
      const mine = results.filter((lock) => lock !== null);
      expect(mine).toHaveLength(1);
      await mine[0]?.release();
    });
  });
}

describeLocks('locks in memory', async () => openMemoryLocks());

describe.skipIf(!postgres)('locks in PostgreSQL', () => {
  const url = () => freshDatabase(postgres?.url ?? '');
  test('can be shared by processes, and are then not taken alone', async () => {
    const database = await url();
    const [one, other] = [new PostgresLocks(database), new PostgresLocks(database)];
    const [mine, theirs] = [await one.tryShare('shared'), await other.tryShare('shared')];
    expect([mine, theirs]).not.toContain(null);
    expect(await one.tryShare('shared')).toBeNull();
    await mine?.release();
    expect(await one.tryTake('shared')).toBeNull();
    await theirs?.release();
    const alone = await one.tryTake('shared');
    expect(alone).not.toBeNull();
    expect(await other.tryShare('shared')).toBeNull();
    await alone?.release();
    await Promise.all([one.close(), other.close()]);
  });

  describeLocks('of one process', async () => new PostgresLocks(await url()));

  test('of several processes are one', async () => {
    const database = await url();
    const [one, other] = [new PostgresLocks(database), new PostgresLocks(database)];
    const lock = await one.tryTake('a');
    expect(await other.tryTake('a')).toBeNull();
    await lock?.release();
    const next = await other.tryTake('a');
    expect(next).not.toBeNull();
    expect(await one.tryTake('a')).toBeNull();
    await other.close();
    expect(await one.tryTake('a')).not.toBeNull();
    await one.close();
  });

  test('are lost, and known to be, when the database ends the connection; the next one is new', async () => {
    const database = await url();
    const locks = new PostgresLocks(database);
    const lock = await locks.tryTake('a');
    const admin = new Client({ connectionString: database });
    await admin.connect();
    for (const pid of await holders(admin))
      await admin.query('select pg_terminate_backend($1)', [pid]);
    await admin.end();
    await until(async () => lock?.lost.aborted);
    const next = await locks.tryTake('a');
    expect(next?.lost.aborted).toBe(false);
    await lock?.release();
    expect(await locks.tryTake('a')).toBeNull();
    await locks.close();
  });

  test('are all on the connection that came after a broken one, also while that still breaks', async () => {
    const database = await url();
    const locks = new PostgresLocks(database);
    const lock = await locks.tryTake('a');
    const admin = new Client({ connectionString: database });
    await admin.connect();
    const isLost = new Promise<unknown>((resolve) => {
      lock?.lost.addEventListener('abort', () => resolve(locks.tryTake('b')));
    });
    await admin.query('select pg_terminate_backend($1)', await holders(admin));
    expect(await isLost).not.toBeNull();
    // The old connection has reported everything by then.
    await Bun.sleep(100);
    expect(await locks.tryTake('c')).not.toBeNull();
    expect(await holders(admin)).toHaveLength(1);
    await locks.close();
    await until(async () => (await holders(admin)).length === 0);
    await admin.end();
  });
});
