import type { Executor, Tx } from '../../../platform/db/port.ts';
import type { PriceRow } from '../tables.ts';

/** Returns all prices there ever were, in order: an hour keeps its price, whenever it is charged. */
export async function pricesSoFar(db: Executor): Promise<PriceRow[]> {
  return db.selectFrom('prices').selectAll().orderBy('hour').execute();
}

/** Writes the prices that hold from an hour on, in place of those that were to hold from it. */
export async function setPrices(tx: Tx, { hour, ...prices }: PriceRow): Promise<void> {
  await tx
    .insertInto('prices')
    .values({ hour, ...prices })
    .onConflict((conflict) => conflict.column('hour').doUpdateSet(prices))
    .execute();
}
