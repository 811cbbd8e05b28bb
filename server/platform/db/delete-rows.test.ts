import { expect, test } from 'bun:test';
import { sql } from 'kysely';
import { until } from '../../../tests/support/client/wait.ts';
import { describeEachEngine, describeOnPostgres } from '../../../tests/support/server/engines.ts';
import { deleteRows, olderThan } from './delete-rows.ts';
import type { Database } from './port.ts';

/** More than two slices take. */
const ROWS = 1000;

async function filled(open: () => Promise<Database>): Promise<Database> {
  const database = await open();
  const user = { id: 'u', email: 'a@b.c', email_key: 'a@b.c', password_hash: '' };
  await database.db
    .insertInto('users')
    .values({ ...user, status: 'active', created_at: 1 })
    .execute();
  const rows = Array.from({ length: ROWS }, (_, n) => ({
    user_id: 'u',
    browser: `browser ${n}`,
    seen_at: n,
  }));
  await database.db.insertInto('known_browsers').values(rows).execute();
  return database;
}

const timesIn = async ({ db }: Pick<Database, 'db'>) => {
  const rows = await db.selectFrom('known_browsers').select('seen_at').orderBy('seen_at').execute();
  return rows.map((row) => row.seen_at);
};

await describeEachEngine('deleting rows', (open) => {
  test('deletes those before a time, in slices, whatever their key', async () => {
    const database = await filled(open);
    expect(await deleteRows(database.db, 'known_browsers', olderThan('seen_at', 900))).toBe(900);
    expect(await timesIn(database)).toEqual(Array.from({ length: 100 }, (_, n) => 900 + n));
  });

  test('ends between two slices once it is told to', async () => {
    const database = await filled(open);
    const signal = AbortSignal.abort(new Error('stopped'));
    const deleting = deleteRows(database.db, 'known_browsers', olderThan('seen_at', 900), signal);
    await expect(deleting).rejects.toThrow('stopped');
    expect(await timesIn(database)).toHaveLength(ROWS);
  });
});

await describeOnPostgres('deleting rows beside others', (open) => {
  test('leaves a row that is renewed at the same time', async () => {
    const database = await filled(open);
    const { db } = database;
    const deleting = await database.transaction(async (tx) => {
      await tx
        .updateTable('known_browsers')
        .set({ seen_at: 5000 })
        .where('seen_at', '=', 1)
        .execute();
      // It finds the row as it was, and waits for this transaction to end.
      const promise = deleteRows(db, 'known_browsers', olderThan('seen_at', 10));
      await waitForLock(database);
      return { promise };
    });
    expect(await deleting.promise).toBe(9);
    expect((await timesIn(database)).at(-1)).toBe(5000);
  });
});

async function waitForLock({ db }: Pick<Database, 'db'>): Promise<void> {
  await until(async () => {
    const { rows } = await sql`select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
    return rows.length > 0;
  });
}
