import { expect, test } from 'bun:test';
import { describeEachEngine, type OpenDatabase } from '../../../../tests/support/server/engines.ts';
import { KIB, MIB } from '../../../contract/limits.ts';
import { cancelDelete } from '../../../platform/storage/pending-deletes-store.ts';
import { Quotas } from '../../buckets/quotas/quotas.ts';
import { openUsageFixture } from '../../usage/testing/usage-fixture.ts';
import { FIRST_RESERVATION_BYTES, reserveArriving } from './reserve-arriving.ts';

const NOW = Date.UTC(2026, 10, 2);
const LIMIT = 40 * MIB;
const CHUNK_BYTES = 64 * KIB;

test('reservations are few, stay within a quarter of what has arrived, and never follow it', async () => {
  const reservations: number[] = [];
  const quotas = { extend: async (_: string, bytes: number) => void reservations.push(bytes) };
  let arrived = 0;
  const reserve = reserveArriving(quotas, 'o/a/', { before: 1000 });
  while (arrived < 50 * MIB) {
    await reserve(CHUNK_BYTES);
    arrived += CHUNK_BYTES;
    const reserved = reservations.at(-1) ?? 0;
    expect(reserved).toBeGreaterThanOrEqual(1000 + arrived);
    expect(reserved).toBeLessThanOrEqual(1000 + arrived * 1.25 + FIRST_RESERVATION_BYTES);
  }
  expect(reservations.length).toBeLessThan(35);
});

await describeEachEngine('uploads of unknown length', (openDatabase: OpenDatabase) => {
  async function open() {
    const { database, buckets, userId } = await openUsageFixture(await openDatabase(), NOW);
    const limits = { maxBuckets: 1, maxOpenUploads: 100, maxOpenBytes: 1e12, trialMaxBytes: null };
    const quotas = new Quotas({
      database,
      ofAccount: buckets.ofAccount,
      limits: { ...limits, maxBytes: LIMIT },
      hasAddedCredit: async () => true,
    });
    const reservedBytes = async () => (await quotas.storageOf(userId)).unfinished;
    let most = 0;
    /** Receives an upload, and holds what it has reserved. Returns how it ended. */
    const upload = async (name: string, bytes: number): Promise<string> => {
      const prefix = `o/${name}/`;
      const reserved = FIRST_RESERVATION_BYTES;
      try {
        const reservation = { prefix, bytes: reserved, deleteAt: NOW + 1000 };
        await database.batch(await quotas.reservation(userId, reservation));
        const reserve = reserveArriving(quotas, prefix, { reserved });
        for (let arrived = 0; arrived < bytes; arrived += CHUNK_BYTES) {
          await reserve(Math.min(CHUNK_BYTES, bytes));
          most = Math.max(most, await reservedBytes());
        }
        return 'ok';
      } catch (error) {
        await cancelDelete(database.db, prefix);
        return (error as { code: string }).code;
      }
    };
    return { upload, reservedBytes, mostReserved: () => most };
  }

  test('many small ones fit at the same time, and of large ones only as many as do', async () => {
    const { upload, reservedBytes, mostReserved } = await open();
    const small = Array.from({ length: 20 }, (_, n) => upload(`small-${n}`, 10 * KIB));
    expect(new Set(await Promise.all(small))).toEqual(new Set(['ok']));
    expect(await reservedBytes()).toBeLessThan(2 * MIB);
    const large = Array.from({ length: 8 }, (_, n) => upload(`large-${n}`, 10 * MIB));
    const outcomes = await Promise.all(large);
    expect(outcomes.filter((one) => one === 'ok').length).toBeLessThan(4);
    expect(new Set(outcomes.filter((one) => one !== 'ok'))).toEqual(new Set(['quota-exceeded']));
    expect(mostReserved()).toBeLessThanOrEqual(LIMIT);
  });
});
