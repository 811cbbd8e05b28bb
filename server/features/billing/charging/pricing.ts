import { DAY, GIB, HOUR } from '../../../contract/limits.ts';
import { toMicroUsd } from '../../../contract/money.ts';
import type { Database } from '../../../platform/db/port.ts';
import { hourOf } from '../../usage/service.ts';
import type { PriceRow } from '../tables.ts';
import { pricesSoFar, setPrices } from './charges-store.ts';

/** What is charged for, in the order in which carries are kept. */
export const CHARGE_KINDS = ['storage', 'bandwidth', 'upload'] as const;
export type Cost = (typeof CHARGE_KINDS)[number];
/** Micro-USD: per GiB for 30 days, per GiB, per GiB. */
export type Prices = Record<Cost, number>;
/** Micro-USD. */
export type Split = Record<Cost, number>;
export type Use = { storedByteMs: bigint; bandwidth: number; uploaded: number };
/** Parts of a micro-USD. */
type Parts = Record<Cost, bigint>;

const GIB_BIG = BigInt(GIB);
const PERIOD = 30n * BigInt(DAY);
/** So many parts make a micro-USD that any use at any price is a whole number of them. */
const PARTS_PER_MICRO_USD = GIB_BIG * PERIOD;

export const NOTHING_OWED = '0 0 0';

/**
 * What an hour's use costs, in whole micro-USD, and what is carried to the next charge. All that is
 * charged together is the exact cost rounded down, so it is never a micro-USD behind; each of the
 * three is less than two from its own exact cost, and never negative.
 */
export function calculateCharge(use: Use, prices: Prices, carry: string) {
  const remainder = carried(carry);
  remainder.storage += use.storedByteMs * BigInt(prices.storage);
  remainder.bandwidth += BigInt(use.bandwidth) * PERIOD * BigInt(prices.bandwidth);
  remainder.upload += BigInt(use.uploaded) * PERIOD * BigInt(prices.upload);

  const total = (remainder.storage + remainder.bandwidth + remainder.upload) / PARTS_PER_MICRO_USD;
  const split: Split = { storage: 0, bandwidth: 0, upload: 0 };
  const allocate = (cost: Cost, units: bigint) => {
    split[cost] += Number(units);
    remainder[cost] -= units * PARTS_PER_MICRO_USD;
  };
  for (const cost of CHARGE_KINDS)
    if (remainder[cost] > 0n) allocate(cost, remainder[cost] / PARTS_PER_MICRO_USD);
  let allocated = BigInt(split.storage + split.bandwidth + split.upload);
  for (; allocated < total; allocated += 1n) allocate(furthest(CHARGE_KINDS, remainder, 1n), 1n);
  for (; allocated > total; allocated -= 1n) {
    const charged = CHARGE_KINDS.filter((cost) => split[cost] > 0);
    allocate(furthest(charged, remainder, -1n), -1n);
  }
  return {
    split,
    total: Number(total),
    carry: CHARGE_KINDS.map((cost) => remainder[cost]).join(' '),
  };
}

/** The one that is owed most, or least where `sign` is negative; the first of equals. */
function furthest(costs: readonly Cost[], remainder: Parts, sign: bigint): Cost {
  return costs.reduce((best, cost) =>
    sign * remainder[cost] > sign * remainder[best] ? cost : best,
  );
}

function carried(text: string): Parts {
  const parts = text.split(' ');
  if (parts.length !== CHARGE_KINDS.length || !parts.every((part) => /^-?\d+$/.test(part))) {
    throw new Error(`'${text}' is no carry`);
  }
  const [storage = 0n, bandwidth = 0n, upload = 0n] = parts.map(BigInt);
  return { storage, bandwidth, upload };
}

/** What storing `bytes` for `ms` more will cost, in micro-USD. An estimate, so a number will do. */
export const storedUntil = (bytes: number, ms: number, prices: Prices): number =>
  Math.round((bytes / GIB) * (ms / (30 * DAY)) * prices.storage);

/** Prices as configuration has them, in USD. */
export const inMicroUsd = (prices: Prices): Prices => ({
  storage: toMicroUsd(prices.storage),
  bandwidth: toMicroUsd(prices.bandwidth),
  upload: toMicroUsd(prices.upload),
});

/** Notes which prices hold: the first ones from ever, others from the beginning of the next hour. */
export async function notePrices(database: Database, prices: Prices, now: number): Promise<void> {
  await database.transaction(async (tx) => {
    const last = (await pricesSoFar(tx)).at(-1);
    if (last && CHARGE_KINDS.every((cost) => last[cost] === prices[cost])) return;
    const hour = last ? Math.max(hourOf(now) + HOUR, last.hour) : 0;
    await setPrices(tx, { hour, ...prices });
  });
}

/** The prices of an hour, by its start; `otherwise` where none were noted. */
export function pricesAt(rows: PriceRow[], hour: number, otherwise: Prices): Prices {
  return rows.findLast((row) => row.hour <= hour) ?? otherwise;
}
