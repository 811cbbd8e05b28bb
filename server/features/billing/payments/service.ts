import type {
  AdminJobsWire,
  AdminOwedWire,
  AdminPaymentWire,
  Page,
  PaymentWire,
} from '../../../contract/wire.ts';
import { isUnavailable } from '../../../errors.ts';
import { type ListRange, toPage } from '../../../platform/db/listing.ts';
import { isId } from '../../../platform/ids.ts';
import type { Locks } from '../../../platform/locks/port.ts';
import type { ProviderName, WebhookNotice } from '../../../platform/payments/port.ts';
import { recordUnknownPayment } from './audit.ts';
import { nextCheckAt } from './check-schedule.ts';
import { Checkout, openProvider } from './checkout.ts';
import { PaymentCheck, type PaymentCheckDeps } from './payment-check.ts';
import { type RefundForm, Refunds } from './refunds.ts';
import { ReversalListing } from './reversal-listing.ts';
import * as store from './store.ts';
import type { PaymentRow } from './tables.ts';
import { WebhookWatch, type WebhookWatchDeps } from './webhook-watch.ts';
import { METHODS, toAdminWire, toOwedWire, toWebhookWire, toWire } from './wire.ts';

/** How many payments are checked when a payer returns, or in one round of housekeeping. */
const CHECK_BATCH_SIZE = 20;

export type { Providers } from './checkout.ts';
export { type RecoveredPayment, recoverPayments } from './recover-payments.ts';
export type { RefundForm } from './refunds.ts';
export { webhookStates } from './webhook-watch.ts';
export { PROVIDER_NAMES } from './wire.ts';

type PaymentsDeps = PaymentCheckDeps &
  Omit<WebhookWatchDeps, 'providers'> & { locks: Pick<Locks, 'tryTake'> };

/** Sells credit. It asks the provider about each payment, and settles the payment once. */
export class Payments {
  /** The payment methods that the operator has configured. */
  readonly methods: { card: boolean; crypto: boolean };
  private readonly deps: PaymentsDeps;
  private readonly checks: PaymentCheck;
  private readonly reversals: ReversalListing;
  private readonly refunds: Refunds;
  private readonly webhookWatch: WebhookWatch;
  private readonly newCheckout: Checkout;
  /** The refreshes in progress by user. A second request of a user waits for the same one. */
  private readonly refreshes = new Map<string, Promise<number>>();
  private hasStarted = false;

  constructor(deps: PaymentsDeps) {
    this.deps = deps;
    this.checks = new PaymentCheck(deps);
    this.reversals = new ReversalListing({ ...deps, checks: this.checks });
    this.refunds = new Refunds({ ...deps, checks: this.checks });
    this.webhookWatch = new WebhookWatch(deps);
    this.newCheckout = new Checkout(deps);
    const { stripe, cryptomus } = deps.providers;
    this.methods = { card: stripe !== null, crypto: cryptomus !== null };
  }

  /**
   * Starts a payment and returns the URL of the provider's page for it. Throws bad-amount,
   * not-configured, too-many, unavailable, provider-failed, conflict.
   */
  checkout(
    user: { userId: string; email: string },
    name: ProviderName,
    amount: string,
    idempotencyKey?: string,
  ): Promise<string> {
    return this.newCheckout.start(user, name, amount, idempotencyKey);
  }

  /** Asks Stripe about a payer's pending payments, and returns how many are still pending. */
  refresh(userId: string): Promise<number> {
    if (!this.deps.providers.stripe) return Promise.resolve(0);
    const running =
      this.refreshes.get(userId) ??
      this.checkPending(userId).finally(() => this.refreshes.delete(userId));
    this.refreshes.set(userId, running);
    return running;
  }

  /**
   * Closes the checkouts of an account that is being deleted, as far as its providers can. What is
   * paid nevertheless has to be refunded, so a failure is reported and stops nothing.
   */
  async expireCheckouts(userId: string): Promise<void> {
    const { database, providers, onError } = this.deps;
    if (!providers.stripe) return;
    const provider = await providers.stripe();
    for (const payment of await store.pendingOf(database.db, userId, 'stripe', CHECK_BATCH_SIZE)) {
      if (!payment.checkout_id) continue;
      try {
        await provider.expire(payment.checkout_id);
        await this.checks.check(payment);
      } catch (error) {
        onError(error);
        if (isUnavailable(error)) return;
      }
    }
  }

  /**
   * Handles a webhook of a provider. Throws bad-signature, or an error after which the provider
   * retries.
   */
  async handleWebhook(name: ProviderName, body: string, headers: Headers): Promise<void> {
    const { db } = this.deps.database;
    const provider = await openProvider(this.deps.providers, name);
    const notice = await provider.parseWebhook(body, headers);
    await this.webhookWatch.record(name, notice);
    const payment =
      notice && isId(notice.paymentId) ? await store.paymentById(db, notice.paymentId) : null;
    if (notice && !payment) await this.reportUnknown(name, notice);
    if (!notice || payment?.provider !== name) return;
    // A replayed webhook of a settled payment costs no request to the provider.
    if (payment.settled_at !== null && !notice.isReversal) return;
    const checkout_id = payment.checkout_id ?? notice.checkoutId;
    await this.checks.check({ ...payment, checkout_id }, notice.isReversal);
  }

  /**
   * Reports a message that money was paid for a payment that is not in the database, as after an older
   * backup was restored. `wharf payments reconcile` credits it, by what the provider answers.
   */
  private async reportUnknown(
    name: ProviderName,
    { paymentId, paid }: WebhookNotice,
  ): Promise<void> {
    const { database, clock, onError } = this.deps;
    if (paid === 0 || !isId(paymentId)) return;
    await recordUnknownPayment(database.db, name, { paymentId, amount: paid }, clock());
    const text = `payment ${paymentId} was paid at ${name} and is not in the database`;
    onError(new Error(`${text}; run wharf payments reconcile`));
  }

  /**
   * Compares the refunds and disputes at the providers with ours, once a day, and warns the operator
   * if webhooks don't arrive.
   */
  async checkReversals(signal: AbortSignal): Promise<void> {
    await this.webhookWatch.warn();
    await this.reversals.round(signal);
  }

  /** Returns of each provider when its last webhook arrived, and whether payments are not announced. */
  async webhooks(): Promise<AdminJobsWire['webhooks']> {
    return (await this.webhookWatch.states()).map(toWebhookWire);
  }

  /** Returns a page of a user's payments, newest first. */
  async list(userId: string, range: ListRange): Promise<Page<PaymentWire>> {
    const { database, clock } = this.deps;
    const rows = await store.listPayments(database.db, userId, range);
    return toPage(rows, range.limit, (row) => toWire(row, clock()));
  }

  /** Returns a page of a user's payments with the provider's ids, newest first. */
  async listForAdmin(userId: string, range: ListRange): Promise<Page<AdminPaymentWire>> {
    const { database, clock } = this.deps;
    const rows = await store.listPayments(database.db, userId, range);
    return toPage(rows, range.limit, (row) => toAdminWire(row, clock()));
  }

  /**
   * Refunds a payment or a part of it. Throws not-found, invalid, conflict, not-configured, unavailable,
   * provider-failed.
   */
  async refund(adminId: string, paymentId: string, form: RefundForm): Promise<AdminPaymentWire> {
    return toAdminWire(await this.refunds.refund(adminId, paymentId, form), this.deps.clock());
  }

  /**
   * Returns a page of the payments that the operator has to refund at the provider, newest first.
   */
  async listOwed(range: ListRange): Promise<Page<AdminOwedWire>> {
    const rows = await store.owedPayments(this.deps.database.db, range).execute();
    return toPage(rows, range.limit, toOwedWire);
  }

  /**
   * Asks the providers about pending payments, each less and less often. A webhook may have been
   * lost, or the server killed before it posted to the ledger. The first call of a process checks
   * all of them.
   */
  async checkDue(): Promise<void> {
    const { database, clock, providers, onError } = this.deps;
    const names = (Object.keys(METHODS) as ProviderName[]).filter((name) => providers[name]);
    if (names.length === 0) return;
    if (!this.hasStarted) await store.makeAllDue(database.db, clock());
    this.hasStarted = true;
    const unavailable = new Set<ProviderName>();
    const batch = { until: clock(), limit: CHECK_BATCH_SIZE };
    const due = [
      ...(await store.duePayments(database.db, names, { ...batch, isPending: true })),
      ...(await store.duePayments(database.db, names, { ...batch, isPending: false })),
    ];
    for (const payment of due) {
      if (unavailable.has(payment.provider)) continue;
      await this.checkAndReschedule(payment).catch((error) => {
        // Any other failure concerns this payment only, and the rest are still asked about.
        if (isUnavailable(error)) unavailable.add(payment.provider);
        onError(error);
      });
    }
  }

  /**
   * Stores the time of the next check first, so that a check that fails is not repeated at once.
   */
  private async checkAndReschedule(payment: PaymentRow): Promise<void> {
    const { database, clock } = this.deps;
    await store.scheduleCheck(database.db, payment.id, nextCheckAt(payment, clock()));
    await this.checks.check(payment);
  }

  /**
   * Returns how many card payments of a user are still pending, with those that could not be
   * checked.
   */
  private async checkPending(userId: string): Promise<number> {
    const { database, onError } = this.deps;
    const pending = await store.pendingOf(database.db, userId, 'stripe', CHECK_BATCH_SIZE);
    const checked: PaymentRow[] = [];
    const failures: unknown[] = [];
    for (const payment of pending) {
      try {
        checked.push(await this.checks.check(payment));
      } catch (error) {
        if (isUnavailable(error)) throw error;
        onError(error);
        failures.push(error);
      }
    }
    if (checked.length === 0 && failures.length > 0) throw failures[0];
    return failures.length + checked.filter(({ status }) => status === 'pending').length;
  }
}
