import type { Executor, Tx } from '../../../platform/db/port.ts';
import type { LedgerAccountRow } from '../../../platform/db/tables-billing.ts';
import type { DunningState } from './dunning-rules.ts';

export async function setDunningState(
  tx: Tx,
  userId: string,
  state: Partial<DunningState>,
): Promise<void> {
  await tx.updateTable('ledger_accounts').set(state).where('user_id', '=', userId).execute();
}

/** Some accounts that it is time to look at, in the order of their ids, from the one after `after`. */
export async function findDueAccounts(
  db: Executor,
  now: number,
  after: string,
  most: number,
): Promise<LedgerAccountRow['user_id'][]> {
  const rows = await db
    .selectFrom('ledger_accounts')
    .select('user_id')
    .where('review_at', '<=', now)
    .where('user_id', '>', after)
    .orderBy('user_id')
    .limit(most)
    .execute();
  return rows.map((row) => row.user_id);
}

/** Has every account looked at that is below zero, or was when it was looked at last. */
export async function markDoubtful(db: Executor): Promise<void> {
  await db
    .updateTable('ledger_accounts')
    .set({ review_at: 0 })
    .where((row) => row.or([row('balance', '<', 0), row('below_since', 'is not', null)]))
    .where('closed_at', 'is', null)
    .execute();
}
