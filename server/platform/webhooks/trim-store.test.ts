import { expect, test } from 'bun:test';
import { describeEachEngine } from '../../../tests/support/server/engines.ts';
import { DAY } from '../../contract/limits.ts';
import type { WebhookAttemptState } from '../../contract/wire.ts';
import type { Database } from '../db/port.ts';
import { trimBucket, trimWebhookAttempts } from './trim-store.ts';

const NOW = Date.parse('2025-06-20T12:00:00Z');
const TRIM = { now: NOW, signal: new AbortController().signal };

async function add(
  database: Database,
  id: string,
  state: WebhookAttemptState,
  days = 0,
  bucket = 'b',
) {
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
      ready: 0,
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

await describeEachEngine('trimming deliveries', (openDatabase) => {
  test('keeps ended deliveries for seven days', async () => {
    const database = await openDatabase();
    await add(database, 'a', 'delivered', 8);
    await add(database, 'b', 'failed', 8);
    await add(database, 'c', 'failed', 6);
    await add(database, 'd', 'waiting', 8);
    await trimWebhookAttempts(database.db, TRIM);
    expect(await remaining(database)).toEqual(['c failed', 'd waiting']);
  });

  test('keeps the newest of each bucket, and gives up what waits beyond the limit', async () => {
    const database = await openDatabase();
    for (const n of [1, 2, 3]) await add(database, `a${n}`, 'delivered');
    for (const n of [1, 2, 3, 4]) await add(database, `b${n}`, 'waiting');
    await add(database, 'c1', 'delivered', 0, 'another');
    await trimBucket(database.db, 'b', TRIM, { maxEnded: 2, maxWaiting: 3 });
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
    await trimBucket(database.db, 'b', TRIM, { maxEnded: 5, maxWaiting: 1 });
    const row = await database.db
      .selectFrom('webhook_deliveries')
      .selectAll()
      .where('id', '=', 'b1')
      .executeTakeFirstOrThrow();
    expect(row).toMatchObject({ state: 'failed', finished_at: NOW });
    expect(row.answer_text).toStartWith('Given up:');
  });

  test('trims more than fits one statement', async () => {
    const database = await openDatabase();
    for (let n = 0; n < 1_100; n += 1)
      await add(database, `a${n}`, n % 2 ? 'delivered' : 'waiting', 8);
    await trimBucket(database.db, 'b', TRIM, { maxEnded: 2_000, maxWaiting: 1 });
    const failed = (await remaining(database)).filter((line) => line.endsWith('failed'));
    expect(failed).toHaveLength(549);
    await trimWebhookAttempts(database.db, TRIM);
    expect(await remaining(database)).toHaveLength(550);
  });
});
