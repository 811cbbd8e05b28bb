import { DAY, HOUR } from '../../../contract/limits.ts';
import type { LedgerAccountRow } from '../../../platform/db/tables-billing.ts';
import { IS_EMPTY, IS_LOW, levelOf } from './dunning-level.ts';

/** How long a suspended bucket is delivered; buckets/service.ts cuts it off. */
export const GRACE_PERIOD_MS = 72 * HOUR;
/** Nothing is deleted before an account has been below zero for this long. */
const KEPT = 30 * DAY;
/** How long before that its owner is told; whoever could not be told in time gets the time. */
const LEADS = [7 * DAY, DAY] as const;

export type Notice = 'low' | 'empty' | 'suspended' | 'will-delete' | 'deleted';
export type DunningState = Pick<
  LedgerAccountRow,
  'level' | 'below_since' | 'notices' | 'delete_at' | 'review_at'
>;
export type Decision = {
  state: DunningState;
  /** What its owner is told. */
  notice: Notice | null;
  buckets: 'suspend' | 'resume' | 'delete';
};

/**
 * What becomes of an account with this balance at this moment. `takesPayments`: its owner could top
 * it up; otherwise nothing is ever suspended.
 */
export function decideDunning(
  account: Pick<LedgerAccountRow, 'balance'> & DunningState,
  now: number,
  takesPayments: boolean,
): Decision {
  const level = levelOf(account.balance);
  if (account.balance >= 0 || !takesPayments) {
    const state = { level, below_since: null, notices: 0, delete_at: null, review_at: null };
    return { state, notice: noticeOfStep(account.level, level), buckets: 'resume' };
  }
  const { below_since, notices, delete_at } = account;
  if (below_since !== null) return whileBelow({ level, below_since, notices, delete_at }, now);
  const review_at = now + KEPT - LEADS[0];
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

/** One step at a time, each of which leaves its owner the time that it says. */
function whileBelow(
  was: Omit<DunningState, 'review_at'> & { below_since: number },
  now: number,
): Decision {
  const { notices } = was;
  if (notices > LEADS.length) {
    return { state: { ...was, review_at: null }, notice: null, buckets: 'suspend' };
  }
  const lead = LEADS[notices] ?? 0;
  const planned = was.delete_at ?? was.below_since + KEPT;
  if (now < planned - lead) {
    return { state: { ...was, review_at: planned - lead }, notice: null, buckets: 'suspend' };
  }
  if (lead === 0) {
    const state = { ...was, notices: notices + 1, review_at: null };
    return { state, notice: 'deleted', buckets: 'delete' };
  }
  const delete_at = Math.max(planned, now + lead);
  const review_at = delete_at - (LEADS[notices + 1] ?? 0);
  return {
    state: { ...was, notices: notices + 1, delete_at, review_at },
    notice: 'will-delete',
    buckets: 'suspend',
  };
}
