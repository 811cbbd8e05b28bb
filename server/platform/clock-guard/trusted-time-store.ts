import { inlineRead } from '../db/inline-read.ts';
import type { Executor } from '../db/port.ts';
import type { TrustedTimeRow } from './tables.ts';

export type TrustedTime = Omit<TrustedTimeRow, 'id'>;

/** Returns the last trusted time; null in a new database. */
export async function readTrustedTime(db: Executor): Promise<TrustedTime | null> {
  const row = await db.selectFrom('trusted_time').selectAll().$call(inlineRead).executeTakeFirst();
  return row ?? null;
}

/** Stores the last trusted time. */
export async function saveTrustedTime(db: Executor, time: TrustedTime): Promise<void> {
  await db
    .insertInto('trusted_time')
    .values({ id: 1, ...time })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(time))
    .execute();
}
