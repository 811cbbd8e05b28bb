import { sql } from 'kysely';
import { DAY, SESSION_IDLE_TTL_MS } from '../../contract/limits.ts';
import { inlineRead } from '../../platform/db/inline-read.ts';
import type { Executor, Tx } from '../../platform/db/port.ts';

/** Returns how many bytes and files all buckets contain now. */
export async function holdings(db: Executor): Promise<{ usage: number; files: number }> {
  return db
    .selectFrom('account_totals')
    .select(({ fn, lit }) => [
      sql<number>`${fn.coalesce(fn.sum<number>('bytes'), lit(0))}
        + (select coalesce(sum(stored_change), 0) from usage_changes)`.as('usage'),
      sql<number>`${fn.coalesce(fn.sum<number>('files'), lit(0))}
        + (select coalesce(sum(files), 0) from usage_changes)`.as('files'),
    ])
    .executeTakeFirstOrThrow();
}

/** Returns the revenue of each day in micro-USD, less refunds. Days without revenue are missing. */
export async function revenueOf(
  db: Executor,
  from: number,
  to: number,
): Promise<Map<number, number>> {
  const day = sql<number>`created_at - created_at % ${sql.lit(DAY)}`;
  const rows = await db
    .selectFrom('ledger_entries')
    .select(({ fn }) => [day.as('day'), fn.sum<number>('amount').as('amount')])
    // SQLite uses the partial index only if the condition is written exactly as in the index.
    .where(sql<boolean>`kind in ('payment', 'refund', 'dispute', 'reversal')`)
    .where('created_at', '>=', from)
    .where('created_at', '<', to + DAY)
    .groupBy(day)
    .execute();
  return new Map(rows.map((row) => [row.day, row.amount]));
}

/** Returns a user; undefined where there is none. */
export async function userById(db: Executor, id: string) {
  return db
    .selectFrom('users')
    .selectAll()
    .where('id', '=', id)
    .$call(inlineRead)
    .executeTakeFirst();
}

/** Returns how many sessions a user has open, and when one was used last. */
export async function sessionsOf(db: Executor, userId: string, now: number) {
  return db
    .selectFrom('sessions')
    .select(({ fn }) => [
      fn.countAll<number>().as('count'),
      fn.max('last_seen_at').as('lastSeenAt'),
    ])
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now)
    .where('last_seen_at', '>', now - SESSION_IDLE_TTL_MS)
    .executeTakeFirstOrThrow();
}

/** Returns an entry of the audit log; undefined where there is none or it is hidden. */
export async function findLogEntry(db: Executor, id: string) {
  return db
    .selectFrom('audit_log')
    .leftJoin('audit_hidden', 'audit_hidden.log_id', 'audit_log.id')
    .selectAll('audit_log')
    .where('audit_log.id', '=', id)
    .where('audit_hidden.log_id', 'is', null)
    .$call(inlineRead)
    .executeTakeFirst();
}

/** Hides an entry; returns false where it is hidden already. */
export async function hideLog(tx: Tx, id: string, now: number): Promise<boolean> {
  const inserted = await tx
    .insertInto('audit_hidden')
    .values({ log_id: id, hidden_at: now })
    .onConflict((conflict) => conflict.column('log_id').doNothing())
    .executeTakeFirstOrThrow();
  return (inserted.numInsertedOrUpdatedRows ?? 0n) === 1n;
}
