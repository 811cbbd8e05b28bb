import { sql } from 'kysely';
import { FIRST_PAGE, type ListRange, rowsOfPage } from '../../../platform/db/listing.ts';
import type { Executor } from '../../../platform/db/port.ts';
import { openHours } from '../../usage/service.ts';
import type { LedgerEntryRow } from '../tables.ts';

/**
 * Returns a page of an account's entries, newest first, and one more where another page follows. The cursor
 * is the number of an entry, with leading zeros.
 */
export async function listEntries(
  db: Executor,
  userId: string,
  { cursor, ...range }: ListRange,
): Promise<LedgerEntryRow[]> {
  let entries = db
    .selectFrom('ledger_entries')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('seq', 'desc')
    .limit(rowsOfPage(range));
  if (cursor && cursor !== FIRST_PAGE) entries = entries.where('seq', '<', Number(cursor));
  return entries.execute();
}

/** Returns what all accounts have left in micro-USD, and the part of it that was paid. */
export async function sumCredit(db: Executor): Promise<{ outstanding: number; paid: number }> {
  return db
    .selectFrom('ledger_accounts')
    .select(({ fn, lit }) => [
      fn.coalesce(fn.sum<number>('balance'), lit(0)).as('outstanding'),
      fn.coalesce(fn.sum<number>('paid'), lit(0)).as('paid'),
    ])
    .where('balance', '>', 0)
    .executeTakeFirstOrThrow();
}

/** Returns the bytes that all buckets have sent and received and that are not charged yet. */
export async function sumOpenUse(db: Executor): Promise<{ bandwidth: number; uploaded: number }> {
  const { rows } = await sql<{ bandwidth: number; uploaded: number }>`
    select coalesce(sum(bandwidth), 0) as bandwidth, coalesce(sum(uploaded), 0) as uploaded
    from ${openHours} as hours`.execute(db);
  return rows[0] ?? { bandwidth: 0, uploaded: 0 };
}
