import { expect, test } from 'bun:test';
import { describeEachEngine } from '../../../tests/support/server/engines.ts';
import { DAY } from '../../contract/limits.ts';
import type { DeliveryState } from '../../contract/wire.ts';
import type { Database } from '../db/port.ts';
import { trimDeliveries } from './outbox-store.ts';

const NOW = Date.parse('2025-06-20T12:00:00Z');

async function add(database: Database, id: string, state: DeliveryState, days = 0, bucket = 'b') {
  const at = NOW - days * DAY;
  await database.db
    .insertInto('webhook_deliveries')
    .values({
      id,
      bucket_id: bucket,
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
});
