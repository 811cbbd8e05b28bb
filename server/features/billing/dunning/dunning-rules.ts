import { DAY, SUSPENSION_GRACE_MS } from '../../../contract/limits.ts';
import { IS_EMPTY, IS_LOW, IS_OVERDRAWN, levelOf } from '../ledger/levels.ts';
import type { DunningState, LedgerAccountRow } from '../tables.ts';

/** How long files are kept at least after the balance of their account has fallen below zero. */
const RETENTION_MS = 30 * DAY;
/** How long before the deletion the owner is warned. A late warning postpones the deletion. */
const WARNING_LEADS_MS = [7 * DAY, DAY] as const;

export type Notice = 'low' | 'empty' | 'suspended' | 'overdrawn' | 'will-delete' | 'deleted';
type Account = Pick<LedgerAccountRow, 'balance' | 'credit_limit'> & DunningState;
export type Decision = {
  /** The account is suspended where `delivery_until` is set. */
  state: DunningState;
  /** The mail that the owner of the account gets. */
  notice: Notice | null;
  /** Whether the buckets of the account are to be deleted now. */
  isDeletionDue: boolean;
};

/**
 * Decides what happens to an account with this ongoing balance at this moment. Without `takesPayments`
 * its owner could not top it up, so nothing is suspended, and the time of its debt stops.
 * @param reviewAt when storage alone takes the balance to its next level; null where it does not soon
 */
export function decideDunning(
  account: Account,
  now: number,
  takesPayments: boolean,
  reviewAt: number | null = null,
): Decision {
  const level = levelOf(account.balance, account.credit_limit);
  const { below_since, notices, delete_at } = account;
  if (account.balance >= 0 || (!takesPayments && below_since === null)) {
    const state = { ...SOLVENT, level, review_at: reviewAt };
    return { state, notice: noticeOfStep(account.level, level), isDeletionDue: false };
  }
  if (!takesPayments) {
    const paused_at = account.paused_at ?? now;
    const debt = { below_since, paused_at, delivery_until: null, notices, delete_at };
    return { state: { level, ...debt, review_at: null }, notice: null, isDeletionDue: false };
  }
  const step = stepOf(account, now);
  const isOverdrawn = level === IS_OVERDRAWN;
  const graceEnd = step.below_since + SUSPENSION_GRACE_MS;
  // A review of what has stopped before doesn't move the time at which it did.
  const stopped = Math.min(account.delivery_until ?? now, now);
  const delivery_until = isOverdrawn ? Math.min(graceEnd, stopped) : graceEnd;
  const stopsNow = isOverdrawn && account.delivery_until !== null && now < account.delivery_until;
  const { notice, ...debt } = step;
  return {
    state: {
      ...debt,
      ...{ level, paused_at: null, delivery_until, review_at: earlier(step.review_at, reviewAt) },
    },
    notice: notice ?? (stopsNow ? 'overdrawn' : null),
    isDeletionDue: notice === 'deleted',
  };
}

/** The state of an account whose balance is not below zero. */
const SOLVENT = {
  below_since: null,
  paused_at: null,
  delivery_until: null,
  notices: 0,
  delete_at: null,
};

function noticeOfStep(before: number, level: number): Notice | null {
  if (level >= IS_EMPTY && before < IS_EMPTY) return 'empty';
  return level === IS_LOW && before < IS_LOW ? 'low' : null;
}

const earlier = (one: number | null, other: number | null) =>
  one === null || other === null ? (one ?? other) : Math.min(one, other);

/** What changes in a debt: when it began, what its owner is told, and when the buckets are deleted. */
type Step = {
  below_since: number;
  notices: number;
  delete_at: number | null;
  review_at: number | null;
  notice: Notice | null;
};

/** Takes one step at a time, so that each warning leaves the owner the time that it names. */
function stepOf(account: Account, now: number): Step {
  const pause = account.paused_at === null ? 0 : now - account.paused_at;
  const { notices } = account;
  const below_since = (account.below_since ?? now) + pause;
  const delete_at = account.delete_at === null ? null : account.delete_at + pause;
  const debt = { below_since, notices, delete_at };
  if (notices > WARNING_LEADS_MS.length) return { ...debt, notice: null, review_at: null };
  const lead = WARNING_LEADS_MS[notices] ?? 0;
  const planned = delete_at ?? below_since + RETENTION_MS;
  if (now < planned - lead) {
    const notice = account.below_since === null ? 'suspended' : null;
    return { ...debt, notice, review_at: planned - lead };
  }
  const warned = { ...debt, notices: notices + 1 };
  if (lead === 0) return { ...warned, notice: 'deleted', review_at: null };
  const deletion = Math.max(planned, now + lead);
  const review_at = deletion - (WARNING_LEADS_MS[warned.notices] ?? 0);
  return { ...warned, delete_at: deletion, notice: 'will-delete', review_at };
}
