import { expect, test } from 'bun:test';
import { sql } from 'kysely';
import { describeEachEngine } from '../../../tests/support/server/engines.ts';
import { DAY } from '../../contract/limits.ts';
import type { DeliveryState } from '../../contract/wire.ts';
import type { Database } from '../db/port.ts';
import { claimDelivery, findDueBuckets, findDueOwners, trimDeliveries } from './outbox-store.ts';

const NOW = Date.parse('2025-06-20T12:00:00Z');

async function add(database: Database, id: string, state: DeliveryState, days = 0, bucket = 'b') {
  const at = NOW - days * DAY;
  await database.db
    .insertInto('webhook_deliveries')
    .values({
      id,
      bucket_id: bucket,
      owner: 'o',
      type: 'file.success',
      body: '{}',
      target_sealed: '',
      state,
      step: 0,
      attempts: 0,
      due_at: at,
      created_at: at,
      finished_at: state === 'waiting' ? null : at,
    })
    .execute();
}

const remaining = async (database: Database) =>
  (
    await database.db
      .selectFrom('webhook_deliveries')
      .select(['id', 'state'])
      .orderBy('id')
      .execute()
  ).map(({ id, state }) => `${id} ${state}`);

await describeEachEngine('the outbox of webhooks', (openDatabase) => {
  test('keeps ended deliveries for seven days', async () => {
    const database = await openDatabase();
    await add(database, 'a', 'delivered', 8);
    await add(database, 'b', 'failed', 8);
    await add(database, 'c', 'failed', 6);
    await add(database, 'd', 'waiting', 8);
    await trimDeliveries(database.db, NOW);
    expect(await remaining(database)).toEqual(['c failed', 'd waiting']);
  });

  test('keeps the newest of each bucket, and gives up what waits beyond the limit', async () => {
    const database = await openDatabase();
    for (const n of [1, 2, 3]) await add(database, `a${n}`, 'delivered');
    for (const n of [1, 2, 3, 4]) await add(database, `b${n}`, 'waiting');
    await add(database, 'c1', 'delivered', 0, 'another');
    await trimDeliveries(database.db, NOW, { ttlMs: 7 * DAY, maxEnded: 2, maxWaiting: 3 });
    expect(await remaining(database)).toEqual([
      'a3 delivered',
      'b1 failed',
      'b2 waiting',
      'b3 waiting',
      'b4 waiting',
      'c1 delivered',
    ]);
  });

  test('says why it gave something up', async () => {
    const database = await openDatabase();
    for (const n of [1, 2]) await add(database, `b${n}`, 'waiting');
    await trimDeliveries(database.db, NOW, { ttlMs: 7 * DAY, maxEnded: 5, maxWaiting: 1 });
    const row = await database.db
      .selectFrom('webhook_deliveries')
      .selectAll()
      .where('id', '=', 'b1')
      .executeTakeFirstOrThrow();
    expect(row).toMatchObject({ state: 'failed', finished_at: NOW });
    expect(row.answer_text).toStartWith('Given up:');
  });

  test('finds whose deliveries are due, however many one account has', async () => {
    const database = await openDatabase();
    const { db, engine } = database;
    const numbers = sql`with recursive numbers(n) as
      (select 1 union all select n + 1 from numbers where n < 20000)`;
    const id = engine === 'sqlite' ? sql`printf('d%05d', n)` : sql`'d' || lpad(n::text, 5, '0')`;
    // Every delivery of account 2 is due later, and those of account 1 are nearly all.
    await sql`
      insert into webhook_deliveries
        (id, bucket_id, owner, type, body, target_sealed, state, step, due_at, created_at)
      ${numbers} select ${id}, 'b', case when n > 3 then 'o1' else 'o' || n end, 'file.success', '{}', '',
        'waiting', 0, case when n = 2 then ${sql.lit(NOW + 1)} else n end, 0
      from numbers`.execute(db);
    const due = { after: null, now: NOW, limit: 10 };
    expect(await findDueOwners(db, due)).toEqual(['o1', 'o3']);
    expect(await findDueOwners(db, { ...due, limit: 1 })).toEqual(['o1']);
    expect(await findDueOwners(db, { ...due, after: 'o1' })).toEqual(['o3']);
    expect(await findDueOwners(db, { ...due, now: 0 })).toEqual([]);
    const own = { owner: 'o3', now: NOW, limit: 10 };
    expect(await findDueBuckets(db, own)).toEqual(['b']);
    expect(await findDueBuckets(db, { ...own, owner: 'o2' })).toEqual([]);
    const claim = { owner: 'o3', bucketId: 'b', token: 't', now: NOW, until: NOW + DAY };
    expect(await claimDelivery(database, claim)).toMatchObject({ id: 'd00003', attempts: 1 });
    expect(await claimDelivery(database, claim)).toBeNull();
  });
});
