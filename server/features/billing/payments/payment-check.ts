import { HOUR } from '../../../contract/limits.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/db/port.ts';
import type {
  PaymentProvider,
  PaymentQuery,
  ProviderPayment,
} from '../../../platform/payments/port.ts';
import { nextCheckAt } from './check-schedule.ts';
import { openProvider, type Providers } from './checkout.ts';
import { createSettle, type Settle } from './settle.ts';
import * as store from './store.ts';
import type { PaymentRow } from './tables.ts';

/**
 * How long after its expiry an unpaid payment stays pending, as the provider may report it late.
 */
const EXPIRY_GRACE_MS = HOUR;

export type PaymentCheckDeps = {
  database: Database;
  clock: Clock;
  providers: Providers;
  /** Called after the commit with the id of a user whose balance may have changed. */
  onSettled: (userId: string) => Promise<void>;
  onError: (error: unknown) => void;
};

/** Asks providers about payments, and settles the payments by what they answer. */
export class PaymentCheck {
  private readonly deps: PaymentCheckDeps;
  private readonly settle: Settle;

  constructor(deps: PaymentCheckDeps) {
    this.deps = deps;
    this.settle = createSettle(deps);
  }

  /** Asks the provider about a payment, settles the payment, and returns its row afterwards. */
  async check(payment: PaymentRow, withReversals = false): Promise<PaymentRow> {
    const { database, clock, onSettled, onError } = this.deps;
    const provider = await openProvider(this.deps.providers, payment.provider);
    const options = { checkoutId: payment.checkout_id, withReversals };
    const updated = await this.settle(payment.id, () => this.fetch(provider, payment.id, options));
    if (updated) {
      await onSettled(updated.user_id).catch(onError);
      if (updated.refund_due > payment.refund_due) onError(refundDue(updated));
      return updated;
    }
    if (clock() < payment.expires_at + EXPIRY_GRACE_MS) return payment;
    if (payment.status !== 'pending') return payment;
    const expired = { ...payment, status: 'expired' as const };
    const ask_at = nextCheckAt(expired, clock());
    await store.changePending(database.db, payment.id, { status: 'expired', ask_at });
    return { ...expired, ask_at };
  }

  /** Asks the provider about a payment, and reports statuses of which we don't know what they mean. */
  private async fetch(
    provider: PaymentProvider,
    paymentId: string,
    query: PaymentQuery,
  ): Promise<ProviderPayment | null> {
    const reported = await provider.fetchPayment(paymentId, query);
    for (const status of reported?.unknownStatuses ?? []) {
      const text = `payment ${paymentId} has a status of ${provider.name} that is unknown`;
      this.deps.onError(new Error(`${text}, ${status}`));
    }
    return reported;
  }
}

/** Returns the error that tells the operator to refund a payment. */
const refundDue = ({ id, note }: PaymentRow) =>
  new Error(`payment ${id} was not credited and must be refunded: ${note}`);
