import type { Executor, Tx } from '../../../platform/db/port.ts';
import type { PriceRow } from '../tables.ts';

/**
 * Returns all past and present prices in order, because an hour is charged at its own price, even
 * later.
 */
export async function pricesSoFar(db: Executor): Promise<PriceRow[]> {
  return db.selectFrom('prices').selectAll().orderBy('hour').execute();
}

/** Stores the prices that apply from an hour on. They replace other prices from the same hour. */
export async function setPrices(tx: Tx, { hour, ...prices }: PriceRow): Promise<void> {
  await tx
    .insertInto('prices')
    .values({ hour, ...prices })
    .onConflict((conflict) => conflict.column('hour').doUpdateSet(prices))
    .execute();
}
