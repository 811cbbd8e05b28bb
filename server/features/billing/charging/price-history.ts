import { HOUR } from '../../../contract/limits.ts';
import type { Database } from '../../../platform/db/port.ts';
import { hourOf } from '../../usage/service.ts';
import { pricesSoFar, setPrices } from './prices-store.ts';
import { CHARGE_KINDS, type Prices } from './pricing.ts';

/**
 * Stores the prices where they have changed, and returns whether they have. The first prices apply to
 * all hours, later ones from the next hour on.
 */
export async function notePrices(
  database: Database,
  prices: Prices,
  now: number,
): Promise<boolean> {
  return database.transaction(async (tx) => {
    const last = (await pricesSoFar(tx)).at(-1);
    if (last && CHARGE_KINDS.every((cost) => last[cost] === prices[cost])) return false;
    const hour = last ? Math.max(hourOf(now) + HOUR, last.hour) : 0;
    await setPrices(tx, { hour, ...prices });
    return true;
  });
}
