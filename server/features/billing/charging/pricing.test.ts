import { expect, test } from 'bun:test';
import { DAY, GIB, HOUR } from '../../../contract/limits.ts';
import { randomNumbers } from '../../usage/testing/model.ts';
import {
  CHARGE_KINDS,
  type Cost,
  calculateCharge,
  costOf,
  NOTHING_OWED,
  type Use,
} from './pricing.ts';

const PRICES = { storage: 30_000, bandwidth: 5_000, upload: 5_000 };
const use = (change: Partial<Use>): Use => ({
  storedByteMs: 0n,
  bandwidth: 0,
  uploaded: 0,
  ...change,
});

test('prices are those of the contract: per GiB for 30 days, per GiB, per GiB', () => {
  const month = use({ storedByteMs: BigInt(GIB) * 30n * BigInt(DAY) });
  expect(calculateCharge(costOf(month, PRICES), NOTHING_OWED).split.storage).toBe(30_000);
  const bandwidthUse = use({ bandwidth: 2 * GIB, uploaded: 3 * GIB });
  expect(calculateCharge(costOf(bandwidthUse, PRICES), NOTHING_OWED)).toEqual({
    split: { storage: 0, bandwidth: 10_000, upload: 15_000 },
    total: 25_000,
    carry: NOTHING_OWED,
  });
});

test('what is less than a micro-dollar is carried until it is one', () => {
  const hour = use({ storedByteMs: BigInt(Math.floor(GIB / 100)) * BigInt(HOUR) });
  let carry = NOTHING_OWED;
  const totals = Array.from({ length: 100 }, () => {
    const charge = calculateCharge(costOf(hour, PRICES), carry);
    carry = charge.carry;
    return charge.total;
  });
  expect(totals.slice(0, 3)).toEqual([0, 0, 1]);
  expect(totals.reduce((sum, total) => sum + total, 0)).toBe(41);
});

test('a carry that is damaged is refused, not read as nothing', () => {
  for (const carry of ['', '1', '1 2', 'a b c']) {
    expect(() => calculateCharge(costOf(use({}), PRICES), carry)).toThrow();
  }
});

test('a year of hours is less than a micro-dollar behind the exact rational cost, and each kind less than two from its own', () => {
  const random = randomNumbers(11);
  const below = (limit: number) => Math.floor(random() * limit);
  const scales = [1, 1000, GIB / 100, 40 * GIB, 4000 * GIB];
  for (const scale of scales) {
    // Numerators over GiB × 30 days in ms, summed without ever dividing.
    const exact: Record<Cost, bigint> = { storage: 0n, bandwidth: 0n, upload: 0n };
    const charged: Record<Cost, bigint> = { storage: 0n, bandwidth: 0n, upload: 0n };
    const unit = BigInt(GIB) * 30n * BigInt(DAY);
    let carry = NOTHING_OWED;
    let stored = below(scale);
    for (let hour = 0; hour < 365 * 24; hour += 1) {
      if (below(20) === 0) stored = below(scale);
      const prices =
        hour < 5000 ? PRICES : { storage: 27_001, bandwidth: 4_999, upload: hour % 2 ? 0 : 1 };
      const hourly = use({
        storedByteMs: BigInt(stored) * BigInt(HOUR),
        bandwidth: below(3) === 0 ? below(scale) : 0,
        uploaded: below(10) === 0 ? below(scale) : 0,
      });
      exact.storage += hourly.storedByteMs * BigInt(prices.storage);
      exact.bandwidth += BigInt(hourly.bandwidth * prices.bandwidth) * 30n * BigInt(DAY);
      exact.upload += BigInt(hourly.uploaded * prices.upload) * 30n * BigInt(DAY);
      const charge = calculateCharge(costOf(hourly, prices), carry);
      carry = charge.carry;
      for (const cost of CHARGE_KINDS) {
        expect(charge.split[cost]).toBeGreaterThanOrEqual(0);
        charged[cost] += BigInt(charge.split[cost]);
        const difference = exact[cost] - charged[cost] * unit;
        expect(difference > -unit && difference < 2n * unit).toBe(true);
      }
      const behind =
        exact.storage +
        exact.bandwidth +
        exact.upload -
        (charged.storage + charged.bandwidth + charged.upload) * unit;
      expect(behind >= 0n && behind < unit).toBe(true);
    }
  }
});

test('a negative cost is never paid out, and later charges make up for it', () => {
  const day = use({ storedByteMs: BigInt(GIB) * 30n * BigInt(DAY) });
  const back = costOf({ ...day, storedByteMs: -day.storedByteMs }, PRICES);
  const first = calculateCharge(back, NOTHING_OWED);
  expect(first).toMatchObject({ total: 0, split: { storage: 0, bandwidth: 0, upload: 0 } });
  const second = calculateCharge(costOf({ ...day, bandwidth: GIB }, PRICES), first.carry);
  expect(second).toMatchObject({ total: 5_000, carry: NOTHING_OWED });
});
