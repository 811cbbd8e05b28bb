import { DAY } from '../../../contract/limits.ts';
import { IS_EMPTY, IS_LOW, levelOf } from '../ledger/levels.ts';
import type { LedgerAccountRow } from '../tables.ts';

/** How long files are kept at least after the balance of their account has fallen below zero. */
const RETENTION_MS = 30 * DAY;
/** How long before the deletion the owner is warned. A late warning postpones the deletion. */
const WARNING_LEADS_MS = [7 * DAY, DAY] as const;

export type Notice = 'low' | 'empty' | 'suspended' | 'will-delete' | 'deleted';
export type DunningState = Pick<
  LedgerAccountRow,
  'level' | 'below_since' | 'notices' | 'delete_at' | 'review_at'
>;
export type Decision = {
  state: DunningState;
  /** The mail that the owner of the account gets. */
  notice: Notice | null;
  buckets: 'suspend' | 'resume' | 'delete';
};

/**
 * Decides what happens to an account with this ongoing balance at this moment. Without `takesPayments`
 * its owner could not top it up, so nothing is ever suspended.
 * @param reviewAt when storage alone takes the balance to its next level; null where it does not soon
 */
export function decideDunning(
  account: Pick<LedgerAccountRow, 'balance'> & DunningState,
  now: number,
  takesPayments: boolean,
  reviewAt: number | null = null,
): Decision {
  const level = levelOf(account.balance);
  if (account.balance >= 0 || !takesPayments) {
    const state = { level, below_since: null, notices: 0, delete_at: null, review_at: reviewAt };
    return { state, notice: noticeOfStep(account.level, level), buckets: 'resume' };
  }
  const { below_since, notices, delete_at } = account;
  if (below_since !== null) return whileBelow({ level, below_since, notices, delete_at }, now);
  const review_at = now + RETENTION_MS - WARNING_LEADS_MS[0];
  return {
    state: { level, below_since: now, notices: 0, delete_at: null, review_at },
    notice: 'suspended',
    buckets: 'suspend',
  };
}

function noticeOfStep(before: number, level: number): Notice | null {
  if (level >= IS_EMPTY && before < IS_EMPTY) return 'empty';
  return level === IS_LOW && before < IS_LOW ? 'low' : null;
}

/** Takes one step at a time, so that each warning leaves the owner the time that it names. */
function whileBelow(
  was: Omit<DunningState, 'review_at'> & { below_since: number },
  now: number,
): Decision {
  const { notices } = was;
  if (notices > WARNING_LEADS_MS.length) {
    return { state: { ...was, review_at: null }, notice: null, buckets: 'suspend' };
  }
  const lead = WARNING_LEADS_MS[notices] ?? 0;
  const planned = was.delete_at ?? was.below_since + RETENTION_MS;
  if (now < planned - lead) {
    return { state: { ...was, review_at: planned - lead }, notice: null, buckets: 'suspend' };
  }
  if (lead === 0) {
    const state = { ...was, notices: notices + 1, review_at: null };
    return { state, notice: 'deleted', buckets: 'delete' };
  }
  const delete_at = Math.max(planned, now + lead);
  const review_at = delete_at - (WARNING_LEADS_MS[notices + 1] ?? 0);
  return {
    state: { ...was, notices: notices + 1, delete_at, review_at },
    notice: 'will-delete',
    buckets: 'suspend',
  };
}
