import { expect, test } from 'bun:test';
import { sql } from 'kysely';
import { describeEachEngine, describeOnPostgres } from '../../tests/support/server/engines.ts';
import type { Database } from './db/port.ts';
import { markUsedRows } from './key-uses-store.ts';

/** Inserts access keys in an order. */
async function insertKeys({ db }: Database, ids: string[]) {
  const user = { id: 'u', email: 'a@b', email_key: 'a@b', password_hash: '', created_at: 0 };
  await db
    .insertInto('users')
    .values({ ...user, status: 'active' })
    .execute();
  for (const id of ids) {
    await db
      .insertInto('s3_keys')
      .values({
        ...{
          id,
          user_id: 'u',
          name: id,
          access_key_id: id,
          secret_sealed: '',
          access: 'both' as const,
        },
        ...{ bucket_ids: null, expires_at: null, last_used_at: null, created_at: 0 },
      })
      .execute();
  }
}

const uses = async ({ db }: Database) =>
  Object.fromEntries(
    (await db.selectFrom('s3_keys').select(['id', 'last_used_at']).execute()).map((row) => [
      row.id,
      row.last_used_at,
    ]),
  );

await describeEachEngine('marking rows as used', (open) => {
  test('changes those that are named, and none that was stored since', async () => {
    const database = await open();
    await insertKeys(database, ['a', 'b', 'c']);
    await markUsedRows(database.db, 's3_keys', ['a', 'b'], { now: 100, after: 40 });
    await markUsedRows(database.db, 's3_keys', ['a'], { now: 200, after: 140 });
    await markUsedRows(database.db, 's3_keys', ['a', 'b'], { now: 230, after: 170 });
    expect(await uses(database)).toEqual({ a: 200, b: 230, c: null });
  });
});

await describeOnPostgres('marking rows as used', (open) => {
  test('locks them in the order of their ids, as they may lie otherwise', async () => {
    const database = await open();
    await insertKeys(database, ['b', 'a']);
    const { db } = database;
    let marking: Promise<unknown> = Promise.resolve();
    await db.transaction().execute(async (tx) => {
      await tx.selectFrom('s3_keys').select('id').where('id', '=', 'a').forUpdate().execute();
      marking = markUsedRows(db, 's3_keys', ['b', 'a'], { now: 100, after: 0 });
      for (let waiting = 0; waiting === 0; ) {
        const { rows } = await sql`
          select pid from pg_locks where not granted and pid in
            (select pid from pg_stat_activity where datname = current_database())`.execute(tx);
        waiting = rows.length;
      }
      // Whoever marks them in this order too, and has the first one, gets the second one.
      const free = tx.selectFrom('s3_keys').select('id').where('id', '=', 'b');
      expect(await free.forUpdate().skipLocked().execute()).toEqual([{ id: 'b' }]);
    });
    await marking;
    expect(await uses(database)).toEqual({ a: 100, b: 100 });
  });
});
