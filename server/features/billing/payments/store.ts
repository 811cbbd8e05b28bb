import { sql } from 'kysely';
import { inlineRead } from '../../../platform/db/inline-read.ts';
import { type ListRange, paged } from '../../../platform/db/listing.ts';
import type { Executor, Tx } from '../../../platform/db/port.ts';
import type { PaymentReversalRow, PaymentRow } from './tables.ts';

/** The statuses of payments that have ended, of which some can still be paid. */
const ENDED: PaymentRow['status'][] = ['expired', 'failed', 'refunded'];

/** Inserts a payment. */
export async function insertPayment(db: Executor, payment: PaymentRow): Promise<void> {
  await db.insertInto('payments').values(payment).execute();
}

/** Inserts a payment that the provider knows, unless it is there by now. */
export async function insertMissingPayment(db: Executor, payment: PaymentRow): Promise<void> {
  await db
    .insertInto('payments')
    .values(payment)
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
}

/** Returns a payment; undefined where there is none. */
export async function paymentById(db: Executor, id: string): Promise<PaymentRow | undefined> {
  return db
    .selectFrom('payments')
    .selectAll()
    .where('id', '=', id)
    .$call(inlineRead)
    .executeTakeFirst();
}

/** Locks a payment until the transaction ends; undefined where there is none. */
export async function lockPayment(tx: Tx, id: string): Promise<PaymentRow | undefined> {
  return tx
    .updateTable('payments')
    .set((payment) => ({ amount: payment.ref('amount') }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

/**
 * Returns a text that changes whenever the outcome of a payment does; undefined where there is no
 * such payment.
 */
export async function stateOf(db: Executor, id: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('payments')
    .leftJoin('payment_reversals', 'payment_reversals.payment_id', 'payments.id')
    .select(({ fn, lit }) => [
      'payments.status',
      'payments.received',
      'payments.settled_at',
      fn.count<number>('payment_reversals.id').as('reversals'),
      fn.coalesce(fn.sum<number>('payment_reversals.changes'), lit(0)).as('changes'),
    ])
    .where('payments.id', '=', id)
    .groupBy(['payments.id', 'payments.status', 'payments.received', 'payments.settled_at'])
    .executeTakeFirst();
  return row && JSON.stringify(row);
}

/** Changes columns of a payment. */
export async function changePayment(
  db: Executor,
  id: string,
  change: Partial<PaymentRow>,
): Promise<void> {
  await db.updateTable('payments').set(change).where('id', '=', id).execute();
}

/** Changes a payment, unless it is no longer pending. */
export async function changePending(
  db: Executor,
  id: string,
  change: Partial<PaymentRow>,
): Promise<void> {
  await db
    .updateTable('payments')
    .set(change)
    .where('id', '=', id)
    .where('status', '=', 'pending')
    .execute();
}

/** Sets when to ask about a payment next, unless it was settled meanwhile. */
export async function scheduleCheck(db: Executor, id: string, askAt: number | null): Promise<void> {
  await db
    .updateTable('payments')
    .set({ ask_at: askAt })
    .where('id', '=', id)
    .where('settled_at', 'is', null)
    .execute();
}

/** Returns a page of a user's payments, newest first. */
export async function listPayments(
  db: Executor,
  userId: string,
  range: ListRange,
): Promise<PaymentRow[]> {
  const own = db.selectFrom('payments').selectAll().where('user_id', '=', userId);
  return paged(own, 'payments', range).execute();
}

/** Selects the payments that have to be refunded, with the payers' addresses, newest first. */
export function owedPayments(db: Executor, range: ListRange) {
  const refundable = db
    .selectFrom('payments')
    .leftJoin('users', 'users.id', 'payments.user_id')
    .selectAll('payments')
    .select('users.email')
    // SQLite uses the partial index only if the condition is written exactly as in the index.
    .where(sql<boolean>`refund_due > 0`);
  return paged(refundable, 'payments', range);
}

/** Counts the payments that a user has started since a moment in epoch milliseconds. */
export async function countPaymentsSince(
  db: Executor,
  userId: string,
  since: number,
): Promise<number> {
  const row = await db
    .selectFrom('payments')
    .select((payment) => payment.fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .where('created_at', '>', since)
    .executeTakeFirstOrThrow();
  return row.count;
}

/** Returns a user's pending payments at a provider, newest first. */
export async function pendingOf(
  db: Executor,
  userId: string,
  provider: PaymentRow['provider'],
  limit: number,
): Promise<PaymentRow[]> {
  return db
    .selectFrom('payments')
    .selectAll()
    .where('user_id', '=', userId)
    .where('provider', '=', provider)
    .where('status', '=', 'pending')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

/** Makes the check of every pending payment due now. */
export async function makeAllDue(db: Executor, now: number): Promise<void> {
  await db
    .updateTable('payments')
    .set({ ask_at: now })
    .where('ask_at', '>', now)
    .where('status', '=', 'pending')
    .execute();
}

/**
 * Returns the payments whose check is due by `until`, the longest overdue first: those that are
 * pending, or those that have ended, of which there can be far more.
 */
export async function duePayments(
  db: Executor,
  providers: PaymentRow['provider'][],
  { until, limit, isPending }: { until: number; limit: number; isPending: boolean },
): Promise<PaymentRow[]> {
  return db
    .selectFrom('payments')
    .selectAll()
    .where('ask_at', '<=', until)
    .where('status', 'in', isPending ? ['pending' as const] : ENDED)
    .where('provider', 'in', providers)
    .orderBy('ask_at')
    .limit(limit)
    .execute();
}

/** Returns the refunds and disputes of a payment. */
export async function reversalsOf(tx: Tx, paymentId: string): Promise<PaymentReversalRow[]> {
  return tx
    .selectFrom('payment_reversals')
    .selectAll()
    .where('payment_id', '=', paymentId)
    .execute();
}

/** Inserts a refund or dispute. */
export async function insertReversal(tx: Tx, reversal: PaymentReversalRow): Promise<void> {
  await tx.insertInto('payment_reversals').values(reversal).execute();
}

/** Updates the amount of a refund or dispute, and whether it stands. */
export async function changeReversal(tx: Tx, reversal: PaymentReversalRow): Promise<void> {
  const { provider, id, amount, stands, changes } = reversal;
  await tx
    .updateTable('payment_reversals')
    .set({ amount, stands, changes })
    .where('provider', '=', provider)
    .where('id', '=', id)
    .execute();
}

/** Returns whether the account exists and is not being deleted; its lock delays a deletion. */
export async function isAccountOpen(tx: Tx, userId: string): Promise<boolean> {
  const user = await tx
    .updateTable('users')
    .set((user) => ({ status: user.ref('status') }))
    .where('id', '=', userId)
    .returning('status')
    .executeTakeFirst();
  return user !== undefined && user.status !== 'deleting';
}
