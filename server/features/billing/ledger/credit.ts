import { formatAmount, toUsd } from '../../../contract/money.ts';
import { conflict } from '../../../errors.ts';
import { type Actor, record, userOf } from '../../../platform/audit/record.ts';
import type { Tx } from '../../../platform/db/port.ts';
import { post } from './ledger.ts';

/** Credit for an account. A negative amount deducts credit. */
type CreditGrant = {
  userId: string;
  /** In micro-USD. */
  amount: number;
  /** Identifies the grant: granting it again changes nothing. */
  id: string;
  /** The admin who grants it, or the system where an operator does so at the command line. */
  actor: Actor;
};

/**
 * Posts a grant to the ledger and records it in the audit log, in one transaction.
 * @param now epoch milliseconds
 * @returns the balance after the grant, in micro-USD
 * @throws conflict where another account or another amount was granted with the same id
 */
export async function grantCredit(
  tx: Tx,
  { userId, amount, id, actor }: CreditGrant,
  now: number,
): Promise<number> {
  const by = userOf(actor);
  const { entry, isNew } = await post(tx, {
    userId,
    kind: 'grant',
    amount,
    ref: `${by === null ? 'operator' : 'grant'}:${id}`,
    detail: by === null ? undefined : { by },
    at: now,
  });
  if (entry.user_id !== userId || entry.amount !== amount) {
    throw conflict('A different grant was already made with this id.');
  }
  if (isNew) {
    await record(tx, now, {
      section: 'payments',
      action: 'credit.granted',
      message: `Credit of ${formatAmount(toUsd(Math.abs(amount)))} ${amount > 0 ? 'granted to' : 'deducted from'} an account.`,
      actor,
      subject: userId,
      details: { usd: toUsd(amount), grant: id },
    });
  }
  return entry.balance;
}
