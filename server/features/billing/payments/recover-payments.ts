import { isId } from '../../../platform/ids.ts';
import type { ListedPayment, ProviderName } from '../../../platform/payments/port.ts';
import { newPaymentRow, openProvider } from './checkout.ts';
import { PaymentCheck, type PaymentCheckDeps } from './payment-check.ts';
import { ReversalListing } from './reversal-listing.ts';
import * as store from './store.ts';
import type { PaymentRow } from './tables.ts';

export type RecoveredPayment = ListedPayment & {
  provider: ProviderName;
  /**
   * 'known': it was settled before. 'owed': it has to be refunded. 'unsettled': the provider does not
   * confirm it. 'no-account': nothing says whose it is.
   */
  outcome: 'known' | 'credited' | 'owed' | 'unsettled' | 'no-account';
};

/**
 * Compares the payments that the providers have received since a moment (epoch milliseconds) with the
 * database, and settles those that are missing or were not settled, as after an older backup was
 * restored. Then it does the same with refunds and disputes. It can be repeated, and a server can run
 * meanwhile. Yields every payment. Throws what the providers throw.
 */
export async function* recoverPayments(
  deps: PaymentCheckDeps,
  since: number,
): AsyncGenerator<RecoveredPayment> {
  const checks = new PaymentCheck(deps);
  const reversals = new ReversalListing({ ...deps, checks });
  for (const name of ['stripe', 'cryptomus'] as const) {
    if (!deps.providers[name]) continue;
    const provider = await openProvider(deps.providers, name);
    for await (const page of provider.listPayments(since)) {
      for (const listed of page.filter(({ paymentId }) => isId(paymentId))) {
        yield { ...listed, provider: name, outcome: await recover(deps, checks, name, listed) };
      }
    }
    await reversals.settleSince(name, since);
  }
}

async function recover(
  { database, clock }: PaymentCheckDeps,
  checks: PaymentCheck,
  name: ProviderName,
  { paymentId, checkoutId, userId, amount, createdAt }: ListedPayment,
): Promise<RecoveredPayment['outcome']> {
  const { db } = database;
  let payment = await store.paymentById(db, paymentId);
  if (payment && payment.settled_at !== null) return 'known';
  if (!payment) {
    if (userId === null || !isId(userId)) return 'no-account';
    payment = missingPayment({ paymentId, userId, amount, createdAt }, name, clock());
    await store.insertMissingPayment(db, payment);
  }
  const settled = await checks.check({ ...payment, checkout_id: checkoutId }, true);
  if (settled.credited > 0) return 'credited';
  return settled.refund_due > 0 ? 'owed' : 'unsettled';
}

/** That its webhook came before its row says nothing about the webhooks of now. */
const missingPayment = (
  { paymentId, userId, amount, createdAt }: Omit<ListedPayment, 'checkoutId'> & { userId: string },
  name: ProviderName,
  now: number,
): PaymentRow => ({
  ...newPaymentRow(paymentId, userId, name, amount, createdAt),
  announced_at: now,
});
