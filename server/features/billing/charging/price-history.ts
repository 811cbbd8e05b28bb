import { HOUR } from '../../../contract/limits.ts';
import type { Database } from '../../../platform/db/port.ts';
import { hourOf } from '../../usage/service.ts';
import type { PriceRow } from '../tables.ts';
import { lockLastPrices, setPrices } from './prices-store.ts';
import { CHARGE_KINDS, type Prices } from './pricing.ts';

/**
 * Stores the prices where they have changed, and returns whether they have. The first prices apply to
 * all hours, later ones from the next hour on. One process at a time compares its prices.
 * @param requireUnused throws where the last prices, which are others, must not be replaced
 */
export async function notePrices(
  database: Database,
  prices: Prices,
  now: number,
  requireUnused: (last: PriceRow) => Promise<void>,
): Promise<boolean> {
  return database.transaction(async (tx) => {
    const last = await lockLastPrices(database, tx);
    if (last && CHARGE_KINDS.every((cost) => last[cost] === prices[cost])) return false;
    if (last) await requireUnused(last);
    const hour = last ? Math.max(hourOf(now) + HOUR, last.hour) : 0;
    await setPrices(tx, { hour, ...prices });
    return true;
  });
}
