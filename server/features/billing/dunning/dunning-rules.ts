import { DAY, SUSPENSION_GRACE_MS } from '../../../contract/limits.ts';
import { IS_EMPTY, IS_LOW, levelOf } from '../ledger/levels.ts';
import type { LedgerAccountRow } from '../tables.ts';

/** How long files are kept at least after the balance of their account has fallen below zero. */
const RETENTION_MS = 30 * DAY;
/** How long before the deletion the owner is warned. A late warning postpones the deletion. */
const WARNING_LEADS_MS = [7 * DAY, DAY] as const;

export type Notice = 'low' | 'empty' | 'suspended' | 'will-delete' | 'deleted';
export type DunningState = Pick<
  LedgerAccountRow,
  'level' | 'below_since' | 'paused_at' | 'delivery_until' | 'notices' | 'delete_at' | 'review_at'
>;
export type Decision = {
  /** The account is suspended where `delivery_until` is set. */
  state: DunningState;
  /** The mail that the owner of the account gets. */
  notice: Notice | null;
  /** Whether the buckets of the account are to be deleted now. */
  isDeletionDue: boolean;
};

/** The time of an account's debt: when it began, what the owner was told, and when its buckets are deleted. */
type Debt = { below_since: number; notices: number; delete_at: number | null };

/**
 * Decides what happens to an account with this ongoing balance at this moment. Without `takesPayments`
 * its owner could not top it up, so nothing is suspended, and the time of its debt stops.
 * @param reviewAt when storage alone takes the balance to its next level; null where it does not soon
 */
export function decideDunning(
  account: Pick<LedgerAccountRow, 'balance'> & DunningState,
  now: number,
  takesPayments: boolean,
  reviewAt: number | null = null,
): Decision {
  const level = levelOf(account.balance);
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
  if (below_since === null) {
    const debt = { below_since: now, notices: 0, delete_at: null };
    const review_at = now + RETENTION_MS - WARNING_LEADS_MS[0];
    return suspended(level, debt, { notice: 'suspended', review_at });
  }
  const pause = account.paused_at === null ? 0 : now - account.paused_at;
  return whileBelow(
    level,
    {
      below_since: below_since + pause,
      notices,
      delete_at: delete_at === null ? null : delete_at + pause,
    },
    now,
  );
}

/** The state of an account whose balance is not below zero. */
const SOLVENT = {
  below_since: null,
  paused_at: null,
  delivery_until: null,
  notices: 0,
  delete_at: null,
};

const suspended = (
  level: number,
  debt: Debt,
  step: { notice: Notice | null; review_at: number | null },
): Decision => ({
  state: {
    level,
    ...debt,
    paused_at: null,
    delivery_until: debt.below_since + SUSPENSION_GRACE_MS,
    review_at: step.review_at,
  },
  notice: step.notice,
  isDeletionDue: step.notice === 'deleted',
});

function noticeOfStep(before: number, level: number): Notice | null {
  if (level >= IS_EMPTY && before < IS_EMPTY) return 'empty';
  return level === IS_LOW && before < IS_LOW ? 'low' : null;
}

/** Takes one step at a time, so that each warning leaves the owner the time that it names. */
function whileBelow(level: number, debt: Debt, now: number): Decision {
  const { notices } = debt;
  if (notices > WARNING_LEADS_MS.length) {
    return suspended(level, debt, { notice: null, review_at: null });
  }
  const lead = WARNING_LEADS_MS[notices] ?? 0;
  const planned = debt.delete_at ?? debt.below_since + RETENTION_MS;
  if (now < planned - lead) {
    return suspended(level, debt, { notice: null, review_at: planned - lead });
  }
  const warned = { ...debt, notices: notices + 1 };
  if (lead === 0) return suspended(level, warned, { notice: 'deleted', review_at: null });
  const delete_at = Math.max(planned, now + lead);
  const review_at = delete_at - (WARNING_LEADS_MS[warned.notices] ?? 0);
  return suspended(level, { ...warned, delete_at }, { notice: 'will-delete', review_at });
}
