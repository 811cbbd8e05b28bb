import { expect, test } from 'bun:test';
import { DAY, GIB, HOUR } from '../../../contract/limits.ts';
import { randomNumbers } from '../../usage/testing/model.ts';
import type { PriceRow } from '../tables.ts';
import { type OpenUse, openCost, storedAtEnd } from './open-cost.ts';

const START = Date.parse('2026-03-10T00:00:00.000Z');
const END = START + DAY;
const PRICES: PriceRow[] = [{ hour: 0, storage: 30_000, bandwidth: 5_000, upload: 7_000 }];
const key = { user_id: 'u', bucket_id: 'b', carry: '0 0 0' };

type Change = { at: number; bytes: number };

/** Returns the changes as the database sums them: by price. */
function usesOf(changes: Change[], prices: PriceRow[], end: number): OpenUse[] {
  const uses = new Map<number, OpenUse>();
  for (const { at, bytes } of changes) {
    const hour = at - (at % HOUR);
    const priceHour = prices.findLast((price) => price.hour <= hour)?.hour ?? 0;
    const none = { priceHour, bandwidth: 0, uploaded: 0, change: 0n, byteMs: 0n, byteHours: 0n };
    const use = uses.get(priceHour) ?? none;
    uses.set(priceHour, use);
    use.bandwidth += 3;
    use.uploaded += 2;
    use.change += BigInt(bytes);
    use.byteMs += BigInt(bytes) * BigInt(hour + HOUR - at);
    use.byteHours += BigInt(bytes) * BigInt((end - hour) / HOUR - 1);
  }
  return [...uses.values()];
}

/** Returns the same cost, hour by hour. */
function costByHour(
  { stored, since, until }: { stored: number; since: number; until: number },
  changes: Change[],
  prices: PriceRow[],
) {
  const sum = { storage: 0n, bandwidth: 0n, upload: 0n };
  const first = Math.min(since, ...changes.map(({ at }) => at - (at % HOUR)));
  for (let hour = first; hour < until; hour += HOUR) {
    const price = prices.findLast((one) => one.hour <= hour);
    if (!price) throw new Error('no price');
    const to = Math.min(hour + HOUR, until);
    const during = (from: number) => BigInt(Math.max(0, to - Math.max(from, hour)));
    let byteMs = BigInt(stored) * during(since);
    for (const { at, bytes } of changes) byteMs += BigInt(bytes) * during(at);
    const count = changes.filter(({ at }) => at >= hour && at < hour + HOUR).length;
    sum.storage += byteMs * BigInt(price.storage);
    sum.bandwidth += BigInt(count * 3 * price.bandwidth) * 30n * BigInt(DAY);
    sum.upload += BigInt(count * 2 * price.upload) * 30n * BigInt(DAY);
  }
  return sum;
}

test('what is stored and never changes costs its time', () => {
  const bucket = { ...key, stored: GIB, charged_until: START, uses: [] };
  expect(openCost(bucket, PRICES, END)).toEqual({
    storage: BigInt(GIB) * BigInt(DAY) * 30_000n,
    bandwidth: 0n,
    upload: 0n,
  });
  expect(storedAtEnd(bucket)).toBe(GIB);
  expect(openCost(bucket, PRICES, START).storage).toBe(0n);
});

test('any changes at any prices cost what they cost hour by hour, up to any moment', () => {
  const random = randomNumbers(3);
  const below = (limit: number) => Math.floor(random() * limit);
  for (let round = 0; round < 300; round += 1) {
    const prices = [...PRICES];
    for (let hour = START - 3 * HOUR; hour < END; hour += HOUR) {
      if (below(6) > 0) continue;
      prices.push({ hour, storage: below(99), bandwidth: below(99), upload: below(99) });
    }
    // Some come late: their hour is charged already.
    const changes = Array.from({ length: below(12) }, () => ({
      at: START - 2 * HOUR + below(26 * HOUR),
      bytes: below(7 * 1024 * 1024 * GIB) - GIB,
    }));
    const last = Math.max(START, ...changes.map(({ at }) => at));
    const end = last - (last % HOUR) + HOUR;
    const until = last + below(end - last + 1);
    const stored = below(100 * GIB);
    const uses = usesOf(changes, prices, end);
    const bucket = { ...key, stored, charged_until: START, uses };
    const expected = costByHour({ stored, since: START, until }, changes, prices);
    expect(openCost(bucket, prices, end, until)).toEqual(expected);
  }
});
