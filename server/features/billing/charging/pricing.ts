import { DAY, GIB } from '../../../contract/limits.ts';
import { toMicroUsd } from '../../../contract/money.ts';

/** The kinds of costs, in the order in which a carry lists them. */
export const CHARGE_KINDS = ['storage', 'bandwidth', 'upload'] as const;
export type Cost = (typeof CHARGE_KINDS)[number];
/** Prices in micro-USD: storage per GiB for 30 days, bandwidth and uploads per GiB. */
export type Prices = Record<Cost, number>;
/** A charge by kind, in micro-USD. */
export type Split = Record<Cost, number>;
export type Use = { storedByteMs: bigint; bandwidth: number; uploaded: number };
/** Amounts in fractions of a micro-USD, of which PARTS_PER_MICRO_USD are one. */
export type Parts = Record<Cost, bigint>;

const GIB_BIG = BigInt(GIB);
const PERIOD = 30n * BigInt(DAY);
/**
 * With this many parts to a micro-USD, the cost of any use at any price is a whole number of parts.
 */
const PARTS_PER_MICRO_USD = GIB_BIG * PERIOD;

export const NOTHING: Split = { storage: 0, bandwidth: 0, upload: 0 };
export const NOTHING_OWED = '0 0 0';

/** Returns what a use costs at the prices, exactly. */
export const costOf = (use: Use, prices: Prices): Parts => ({
  storage: use.storedByteMs * BigInt(prices.storage),
  bandwidth: BigInt(use.bandwidth) * PERIOD * BigInt(prices.bandwidth),
  upload: BigInt(use.uploaded) * PERIOD * BigInt(prices.upload),
});

/**
 * Returns what is charged for a cost, in whole micro-USD, and the carry for the next charge. The
 * total of all charges is the exact cost rounded down, so it is never a whole micro-USD behind. The
 * charge of each kind is less than two micro-USD from its exact cost, and never negative.
 */
export function calculateCharge(cost: Parts, carry: string) {
  const remainder = carried(carry);
  for (const kind of CHARGE_KINDS) remainder[kind] += cost[kind];

  const sum = remainder.storage + remainder.bandwidth + remainder.upload;
  // A clock that was set back can make a cost negative, which later charges make up for.
  const total = sum > 0n ? sum / PARTS_PER_MICRO_USD : 0n;
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

/**
 * Returns the kind with the largest remainder, or the smallest where `sign` is negative; the first
 * of equals.
 */
function furthest(costs: readonly Cost[], remainder: Parts, sign: bigint): Cost {
  return costs.reduce((best, cost) =>
    sign * remainder[cost] > sign * remainder[best] ? cost : best,
  );
}

/** Whether a text is a carry. Another one is damaged, and what the bucket owes is not known. */
export const isCarry = (text: string): boolean => /^-?\d+ -?\d+ -?\d+$/.test(text);

function carried(text: string): Parts {
  if (!isCarry(text)) throw new Error(`'${text}' is no carry`);
  const [storage = 0n, bandwidth = 0n, upload = 0n] = text.split(' ').map(BigInt);
  return { storage, bandwidth, upload };
}

/**
 * Returns what it costs to store `bytes` for `ms`, in micro-USD. As an estimate it needs no bigint.
 */
export const storedUntil = (bytes: number, ms: number, prices: Prices): number =>
  Math.round((bytes / GIB) * (ms / (30 * DAY)) * prices.storage);

/** Returns the prices of the configuration, which are in USD, in micro-USD. */
export const inMicroUsd = (prices: Prices): Prices => ({
  storage: toMicroUsd(prices.storage),
  bandwidth: toMicroUsd(prices.bandwidth),
  upload: toMicroUsd(prices.upload),
});
