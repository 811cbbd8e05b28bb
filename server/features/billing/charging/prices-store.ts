import { sql } from 'kysely';
import type { Database, Executor, Tx } from '../../../platform/db/port.ts';
import type { PriceRow } from '../tables.ts';

/**
 * Returns all past and present prices in order, because an hour is charged at its own price, even
 * later.
 */
export async function pricesSoFar(db: Executor): Promise<PriceRow[]> {
  return db.selectFrom('prices').selectAll().orderBy('hour').execute();
}

/** Returns the last prices, which no other transaction can replace until this one ends; undefined where there are none. */
export async function lockLastPrices(
  { engine }: Pick<Database, 'engine'>,
  tx: Tx,
): Promise<PriceRow | undefined> {
  // On SQLite, transactions wait for each other anyway.
  if (engine === 'postgres') {
    await sql`select pg_advisory_xact_lock(hashtextextended('prices', 0))`.execute(tx);
  }
  return tx.selectFrom('prices').selectAll().orderBy('hour', 'desc').limit(1).executeTakeFirst();
}

/** Stores the prices that apply from an hour on. They replace other prices from the same hour. */
export async function setPrices(tx: Tx, { hour, ...prices }: PriceRow): Promise<void> {
  await tx
    .insertInto('prices')
    .values({ hour, ...prices })
    .onConflict((conflict) => conflict.column('hour').doUpdateSet(prices))
    .execute();
}
