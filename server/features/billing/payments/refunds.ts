import { HOUR, MINUTE } from '../../../contract/limits.ts';
import { formatAmount, MICRO_PER_CENT, toUsd } from '../../../contract/money.ts';
import { conflict, invalid, notFound, unavailable } from '../../../errors.ts';
import type { Tx } from '../../../platform/db/port.ts';
import { deleteKey, findRepeatedRequest } from '../../../platform/idempotency/idempotency-store.ts';
import { newId, timeOf } from '../../../platform/ids.ts';
import type { Locks } from '../../../platform/locks/port.ts';
import { ProviderError } from '../../../platform/payments/port.ts';
import { creditAt } from '../charging/ongoing-balance.ts';
import { lockAccount } from '../ledger/ledger.ts';
import { recordRefund } from './audit.ts';
import { openProvider } from './checkout.ts';
import type { PaymentCheck, PaymentCheckDeps } from './payment-check.ts';
import { applyReversals } from './reversals.ts';
import * as store from './store.ts';
import type { PaymentRow } from './tables.ts';

/** Providers forget a refund's id after a day: sent again later, it would be another refund. */
const REPEATABLE_MS = 23 * HOUR;

/** What the admin gives back. The amount is in micro-USD and a multiple of a cent. */
export type RefundForm = {
  amount: number;
  reason: string;
  /** 'provider' asks the provider to refund; 'other' records what was given back in another way. */
  by: 'provider' | 'other';
  /** Identifies the refund: the same one sent again refunds nothing. */
  id: string;
};

type RefundDeps = PaymentCheckDeps & {
  locks: Pick<Locks, 'tryTake'>;
  checks: Pick<PaymentCheck, 'check'>;
};

/** Gives credit that was paid back to its payer. */
export class Refunds {
  constructor(private readonly deps: RefundDeps) {}

  /**
   * Refunds a payment or a part of it, at most what is left of it and of the account's paid credit.
   * Returns the payment afterwards.
   * @param adminId the admin who refunds it
   * @throws not-found, invalid, conflict, not-configured, unavailable, provider-failed
   */
  async refund(adminId: string, paymentId: string, form: RefundForm): Promise<PaymentRow> {
    const payment = await store.paymentById(this.deps.database.db, paymentId);
    if (!payment) throw notFound('Payment');
    if (payment.credited === 0) throw conflict('This payment was not credited.');
    // Two refunds of one account at a time would each see the credit that the other one takes.
    const lock = await this.deps.locks.tryTake(`refund:${payment.user_id}`);
    if (!lock) throw unavailable('Another refund of this account is in progress.', MINUTE);
    try {
      return form.by === 'provider'
        ? await this.refundByProvider(adminId, payment, form)
        : await this.recordOther(adminId, payment, form);
    } finally {
      await lock.release();
    }
  }

  /**
   * Asks the provider first, as what was refunded there meanwhile counts. A failure after which the
   * refund may exist keeps the form's id, so that the next attempt is the same refund.
   */
  private async refundByProvider(
    adminId: string,
    payment: PaymentRow,
    form: RefundForm,
  ): Promise<PaymentRow> {
    const { database, checks } = this.deps;
    const provider = await openProvider(this.deps.providers, payment.provider);
    const { reference } = payment;
    if (!provider.refund || reference === null) throw notThere();
    const current = await checks.check(payment, true);
    const { refundId } = await database.transaction((tx) =>
      this.begin(tx, adminId, current.id, form),
    );
    const { amount, reason } = form;
    try {
      await provider.refund({ refundId, reference, amount, reason });
    } catch (error) {
      if (error instanceof ProviderError) await deleteKey(database.db, adminId, keyOf(form));
      throw error;
    }
    return checks.check(current, true);
  }

  /** Records a refund that the provider knows nothing of. */
  private async recordOther(
    adminId: string,
    { id }: PaymentRow,
    form: RefundForm,
  ): Promise<PaymentRow> {
    const { database, clock, onSettled, onError } = this.deps;
    const updated = await database.transaction(async (tx) => {
      const { payment, refundId, isRepeated } = await this.begin(tx, adminId, id, form);
      if (isRepeated) return payment;
      const { amount } = form;
      const reversal = { id: refundId, kind: 'refund' as const, amount, stands: true };
      return applyReversals(tx, payment, [reversal], clock());
    });
    await onSettled(updated.user_id).catch(onError);
    return updated;
  }

  /** Locks the payment, checks the amount and records the refund, unless the same form was sent before. */
  private async begin(
    tx: Tx,
    adminId: string,
    id: string,
    form: RefundForm,
  ): Promise<{ payment: PaymentRow; refundId: string; isRepeated: boolean }> {
    const now = this.deps.clock();
    const payment = await store.lockPayment(tx, id);
    if (!payment) throw notFound('Payment');
    const userId = payment.user_id;
    const account = await lockAccount(tx, userId);
    if (account.closed_at !== null)
      throw conflict('The account is deleted. Refund it at the provider.');
    const { amount, by, reason } = form;
    const subjectId = newId(now);
    const request = ['refund', id, String(amount), by];
    const repeated = await findRepeatedRequest(
      tx,
      { userId: adminId, key: keyOf(form), request, subjectId },
      now,
    );
    if (repeated !== null) {
      if (timeOf(repeated) < now - REPEATABLE_MS) throw isOld();
      return { payment, refundId: repeated, isRepeated: true };
    }
    const { paid } = await creditAt(tx, userId, now);
    const most = inCents(Math.min(payment.credited - payment.reversed, paid));
    if (amount > most) throw tooMuch(most);
    await recordRefund(tx, payment, { adminId, amount, by, reason }, now);
    return { payment, refundId: subjectId, isRepeated: false };
  }
}

const isOld = () => conflict('This refund was sent a day ago. Open the form again.');

const notThere = () =>
  conflict(
    "The provider can't refund this payment from here. Refund it there, or record how it was given back.",
  );

/** Grants and checkouts of the admin have ids too. */
const keyOf = ({ id }: RefundForm) => `refund:${id}`;

const inCents = (amount: number) =>
  Math.max(0, Math.floor(amount / MICRO_PER_CENT)) * MICRO_PER_CENT;

const tooMuch = (most: number) =>
  invalid(
    most === 0
      ? 'Nothing of this payment can be refunded: it was refunded or spent.'
      : `At most ${formatAmount(toUsd(most))} of this payment can be refunded: the rest was refunded or spent.`,
  );
