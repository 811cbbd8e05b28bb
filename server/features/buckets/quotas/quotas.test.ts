import { expect, test } from 'bun:test';
import { sql } from 'kysely';
import { until } from '../../../../tests/support/client/wait.ts';
import { describeEachEngine, type OpenDatabase } from '../../../../tests/support/server/engines.ts';
import { GIB, MIB } from '../../../contract/limits.ts';
import { runStatements } from '../../../platform/db/batch.ts';
import { cancelDelete, scheduleDelete } from '../../../platform/storage/pending-deletes-store.ts';
import { hasAddedCredit, post } from '../../billing/service.ts';
import { openUsageFixture } from '../../usage/testing/usage-fixture.ts';
import type { QuotaLimits } from './quota-rules.ts';
import { Quotas } from './quotas.ts';

const NOW = Date.UTC(2026, 10, 2);
const LIMITS: QuotaLimits = {
  maxBuckets: 3,
  maxOpenUploads: 3,
  maxOpenBytes: 100,
  maxBytes: null,
  trialMaxBytes: null,
};

/** Limits that no upload of these tests comes near. */
const FAR = { maxOpenUploads: 100_000, maxOpenBytes: 1024 * GIB };

await describeEachEngine('quotas', (openDatabase: OpenDatabase) => {
  async function open(limits: Partial<QuotaLimits> = {}) {
    const fixture = await openUsageFixture(await openDatabase(), NOW);
    const { database, buckets, userId } = fixture;
    const { ofAccount } = buckets;
    const quotas = new Quotas({
      database,
      ofAccount,
      limits: { ...LIMITS, ...limits },
      hasAddedCredit,
    });
    const reserveOf = async (user: string, prefix: string, bytes: number) =>
      database.batch(await quotas.reservation(user, { prefix, bytes, deleteAt: NOW + 1000 }));
    const reserve = (prefix: string, bytes: number) => outcome(reserveOf(userId, prefix, bytes));
    return { ...fixture, quotas, reserve, reserveOf };
  }
  const outcome = (work: Promise<unknown>) => work.then(() => 'ok').catch(({ code }) => code);
  const eight = <Result>(work: (index: number) => Promise<Result>) =>
    Promise.all(Array.from({ length: 8 }, (_, index) => work(index)));
  const accepted = (outcomes: string[]) => outcomes.filter((one) => one === 'ok').length;

  test('of eight uploads at once only as many begin as fit, by number and by bytes', async () => {
    const byNumber = await open();
    expect(accepted(await eight((index) => byNumber.reserve(`u/${index}/`, 1)))).toBe(3);
    const byBytes = await open({ maxOpenUploads: 100 });
    expect(accepted(await eight((index) => byBytes.reserve(`u/${index}/`, 30)))).toBe(3);
  });

  test('an upload that becomes a file, or is cancelled, makes room for another one', async () => {
    const { database, reserve } = await open();
    for (const prefix of ['u/1/', 'u/2/', 'u/3/']) expect(await reserve(prefix, 10)).toBe('ok');
    expect(await reserve('u/4/', 10)).toBe('quota-exceeded');
    expect(await cancelDelete(database.db, 'u/1/')).toBe(true);
    expect(await reserve('u/4/', 10)).toBe('ok');
    await scheduleDelete(database.db, 'u/2/', NOW);
    expect(await reserve('u/5/', 10)).toBe('ok');
    expect(await reserve('u/6/', 10)).toBe('quota-exceeded');
  });

  test('a reservation grows within the limit, and never shrinks', async () => {
    const { quotas, reserve } = await open();
    expect(await reserve('u/1/', 0)).toBe('ok');
    expect(await reserve('u/2/', 40)).toBe('ok');
    expect(await outcome(quotas.extend('u/1/', 20))).toBe('ok');
    // It does not count beside itself.
    expect(await outcome(quotas.extend('u/1/', 60))).toBe('ok');
    expect(await outcome(quotas.extend('u/1/', 10))).toBe('ok');
    expect(await reserve('u/3/', 1)).toBe('quota-exceeded');
    expect(await outcome(quotas.extend('u/1/', 61))).toBe('quota-exceeded');
    expect(await outcome(quotas.extend('u/unknown/', 1000))).toBe('ok');
  });

  test('a reservation also grows where no other upload may begin', async () => {
    const { quotas, reserve } = await open();
    for (const prefix of ['u/1/', 'u/2/', 'u/3/']) expect(await reserve(prefix, 10)).toBe('ok');
    expect(await reserve('u/4/', 10)).toBe('quota-exceeded');
    expect(await outcome(quotas.extend('u/1/', 80))).toBe('ok');
  });

  test('what is stored and what is reserved count together, with the limit of the account', async () => {
    const { database, quotas, reserve, userId, makeBucket, upload, remove } = await open({
      maxBytes: 100,
    });
    const bucketId = await makeBucket();
    const fileId = await upload(bucketId, 50);
    expect(accepted(await eight((index) => reserve(`u/${index}/`, 20)))).toBe(2);
    expect(await quotas.storageOf(userId)).toEqual({ stored: 50, unfinished: 40, limit: 100 });
    await remove(bucketId, fileId, 50);
    expect(await reserve('u/another/', 60)).toBe('ok');

    await database.db.updateTable('users').set({ max_bytes: 10 }).execute();
    expect(await quotas.storageOf(userId)).toEqual({ stored: 0, unfinished: 100, limit: 10 });
  });

  test('the limit of new accounts ends with the first credit that is added, until it is refunded', async () => {
    const { database, quotas, userId } = await open({ trialMaxBytes: 10 });
    const limit = async () => (await quotas.storageOf(userId)).limit;
    const book = (kind: 'credit' | 'payment' | 'charge' | 'refund', amount: number) =>
      database.transaction((tx) => post(tx, { userId, kind, amount, ref: kind, at: NOW }));
    await book('credit', 1_000_000);
    expect(await limit()).toBe(10);
    await book('payment', 5_000_000);
    await book('charge', -5_500_000);
    expect(await limit()).toBe(null);
    await book('refund', -5_000_000);
    expect(await limit()).toBe(10);
  });

  test('one account has no part in the limit of another', async () => {
    const { reserve, reserveOf } = await open();
    await reserve('u/1/', 100);
    expect(await outcome(reserveOf('another', 'u/2/', 100))).toBe('ok');
  });

  test('of eight buckets at once only as many are created as the account may have', async () => {
    const { database, quotas, buckets, userId } = await open();
    const { id } = await buckets.create(userId, { name: 'First' });
    const row = await database.db
      .selectFrom('buckets')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    const outcomes = await eight((index) =>
      outcome(
        database.transaction(async (tx) => {
          await quotas.requireBucket(tx, userId);
          const another = { ...row, id: `${id}${index}`, unused_key_mac: String(index) };
          await tx.insertInto('buckets').values(another).execute();
        }),
      ),
    );
    expect(accepted(outcomes)).toBe(2);
  });

  test('200 uploads at once, small and large, never pass the limit of an account', async () => {
    const maxBytes = 1050 * MIB;
    const { quotas, userId, reserve } = await open({ ...FAR, maxBytes });
    const sizes = Array.from({ length: 200 }, (_, index) => (index % 2 ? MIB : 10 * MIB));
    await Promise.all(sizes.map((bytes, index) => reserve(`u/${index}/`, bytes)));
    const { unfinished } = await quotas.storageOf(userId);
    expect(unfinished).toBeLessThanOrEqual(maxBytes);
    expect(unfinished).toBeGreaterThan(maxBytes - 10 * MIB);
  });

  test('on PostgreSQL, only uploads that may reach a limit wait for others of their account', async () => {
    const { database, quotas, userId, reserve } = await open({ ...FAR, maxBytes: 2000 * MIB });
    // SQLite has one transaction at a time that writes.
    if (database.engine === 'sqlite') return;
    let large: Promise<string> | undefined;
    await database.transaction(async (tx) => {
      const small = { prefix: 'u/1/', bytes: MIB, deleteAt: NOW + 1000 };
      await runStatements(tx, await quotas.reservation(userId, small));
      expect(await reserve('u/2/', MIB)).toBe('ok');
      large = reserve('u/3/', 1999 * MIB);
      await until(async () => {
        const { rows } = await sql`select from pg_locks where locktype = 'advisory' and not granted
          and database = (select oid from pg_database where datname = current_database())`.execute(
          database.db,
        );
        return rows.length === 1;
      });
    });
    expect(await large).toBe('quota-exceeded');
  });
});
