import type { Executor, Tx } from '../../../platform/db/port.ts';
import type { LedgerAccountRow } from '../tables.ts';
import type { DunningState } from './dunning-rules.ts';

/** Changes the state of an account's dunning. */
export async function setDunningState(
  tx: Tx,
  userId: string,
  state: Partial<DunningState>,
): Promise<void> {
  await tx.updateTable('ledger_accounts').set(state).where('user_id', '=', userId).execute();
}

/**
 * Returns at most `limit` accounts whose review is due, in the order of their ids, starting after
 * `after`.
 */
export async function findDueAccounts(
  db: Executor,
  now: number,
  after: string,
  limit: number,
): Promise<LedgerAccountRow['user_id'][]> {
  const rows = await db
    .selectFrom('ledger_accounts')
    .select('user_id')
    .where('review_at', '<=', now)
    .where('user_id', '>', after)
    .orderBy('user_id')
    .limit(limit)
    .execute();
  return rows.map((row) => row.user_id);
}

/** Makes the review of every account due that is below zero, or was at its last review. */
export async function markDoubtful(db: Executor): Promise<void> {
  await db
    .updateTable('ledger_accounts')
    .set({ review_at: 0 })
    .where((row) => row.or([row('balance', '<', 0), row('below_since', 'is not', null)]))
    .where('closed_at', 'is', null)
    .execute();
}
