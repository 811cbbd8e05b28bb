import { HOUR } from '../../../contract/limits.ts';
import { toMicroUsd } from '../../../contract/money.ts';
import type { Database } from '../../../platform/db/port.ts';
import { hourOf } from '../../usage/service.ts';
import type { PriceRow } from '../tables.ts';
import { pricesSoFar, setPrices } from './charges-store.ts';
import { CHARGE_KINDS, type Prices } from './pricing.ts';

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
