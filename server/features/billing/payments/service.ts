import { HOUR } from '../../../contract/limits.ts';
import type { AdminOwedWire, Page, PaymentWire } from '../../../contract/wire.ts';
import { isUnavailable } from '../../../errors.ts';
import type { Clock } from '../../../platform/clock.ts';
import { type ListRange, toPage } from '../../../platform/db/listing.ts';
import type { Database } from '../../../platform/db/port.ts';
import { isId } from '../../../platform/ids.ts';
import type {
  PaymentProvider,
  PaymentQuery,
  ProviderName,
  ProviderPayment,
} from '../../../platform/payments/port.ts';
import { nextCheckAt } from './check-schedule.ts';
import { Checkout, openProvider, type Providers } from './checkout.ts';
import { createSettle, type Settle } from './settle.ts';
import * as store from './store.ts';
import type { PaymentRow } from './tables.ts';
import { METHODS, toOwedWire, toWire } from './wire.ts';

/** How many payments are checked when a payer returns, or in one round of housekeeping. */
const CHECK_BATCH_SIZE = 20;
/**
 * How long after its expiry an unpaid payment stays pending, as the provider may report it late.
 */
const EXPIRY_GRACE_MS = HOUR;

export type { Providers } from './checkout.ts';

type PaymentsDeps = {
  database: Database;
  clock: Clock;
  providers: Providers;
  /** Called after the commit with the id of a user whose balance may have changed. */
  onSettled: (userId: string) => Promise<void>;
  onError: (error: unknown) => void;
};

/** Sells credit. It asks the provider about each payment, and settles the payment once. */
export class Payments {
  /** The payment methods that the operator has configured. */
  readonly methods: { card: boolean; crypto: boolean };
  readonly #deps: PaymentsDeps;
  readonly #settle: Settle;
  readonly #checkout: Checkout;
  /** The refreshes in progress by user. A second request of a user waits for the same one. */
  readonly #refreshes = new Map<string, Promise<number>>();
  #hasStarted = false;

  constructor(deps: PaymentsDeps) {
    this.#deps = deps;
    this.#settle = createSettle(deps);
    this.#checkout = new Checkout(deps);
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
    return this.#checkout.start(user, name, amount, idempotencyKey);
  }

  /** Asks Stripe about a payer's pending payments, and returns how many are still pending. */
  refresh(userId: string): Promise<number> {
    if (!this.#deps.providers.stripe) return Promise.resolve(0);
    const running =
      this.#refreshes.get(userId) ??
      this.#checkPending(userId).finally(() => this.#refreshes.delete(userId));
    this.#refreshes.set(userId, running);
    return running;
  }

  /**
   * Closes the checkouts of an account that is being deleted, as far as its providers can. What is
   * paid nevertheless has to be refunded, so a failure is reported and stops nothing.
   */
  async expireCheckouts(userId: string): Promise<void> {
    const { database, providers, onError } = this.#deps;
    if (!providers.stripe) return;
    const provider = await providers.stripe();
    for (const payment of await store.pendingOf(database.db, userId, 'stripe', CHECK_BATCH_SIZE)) {
      if (!payment.checkout_id) continue;
      try {
        await provider.expire(payment.checkout_id);
        await this.#check(payment);
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
    const { db } = this.#deps.database;
    const provider = await openProvider(this.#deps.providers, name);
    const notice = await provider.parseWebhook(body, headers);
    const payment =
      notice && isId(notice.paymentId) ? await store.paymentById(db, notice.paymentId) : null;
    if (!notice || payment?.provider !== name) return;
    // A replayed webhook of a settled payment costs no request to the provider.
    if (payment.settled_at !== null && !notice.isReversal) return;
    const checkout_id = payment.checkout_id ?? notice.checkoutId;
    await this.#check({ ...payment, checkout_id }, notice.isReversal);
  }

  /** Returns a page of a user's payments, newest first. */
  async list(userId: string, range: ListRange): Promise<Page<PaymentWire>> {
    const { database, clock } = this.#deps;
    const rows = await store.listPayments(database.db, userId, range);
    return toPage(rows, range.limit, (row) => toWire(row, clock()));
  }

  /**
   * Returns a page of the payments that the operator has to refund at the provider, newest first.
   */
  async listOwed(range: ListRange): Promise<Page<AdminOwedWire>> {
    const rows = await store.owedPayments(this.#deps.database.db, range).execute();
    return toPage(rows, range.limit, toOwedWire);
  }

  /**
   * Asks the providers about pending payments, each less and less often. A webhook may have been
   * lost, or the server killed before it posted to the ledger. The first call of a process checks
   * all of them.
   */
  async checkDue(): Promise<void> {
    const { database, clock, providers, onError } = this.#deps;
    const names = (Object.keys(METHODS) as ProviderName[]).filter((name) => providers[name]);
    if (names.length === 0) return;
    if (!this.#hasStarted) await store.makeAllDue(database.db, clock());
    this.#hasStarted = true;
    const unavailable = new Set<ProviderName>();
    const batch = { until: clock(), limit: CHECK_BATCH_SIZE };
    const due = [
      ...(await store.duePayments(database.db, names, { ...batch, isPending: true })),
      ...(await store.duePayments(database.db, names, { ...batch, isPending: false })),
    ];
    for (const payment of due) {
      if (unavailable.has(payment.provider)) continue;
      await this.#checkAndReschedule(payment).catch((error) => {
        // Any other failure concerns this payment only, and the rest are still asked about.
        if (isUnavailable(error)) unavailable.add(payment.provider);
        onError(error);
      });
    }
  }

  /** Asks the provider about a payment, settles the payment, and returns its row afterwards. */
  async #check(payment: PaymentRow, withReversals = false): Promise<PaymentRow> {
    const { database, clock, onSettled, onError } = this.#deps;
    const provider = await openProvider(this.#deps.providers, payment.provider);
    const options = { checkoutId: payment.checkout_id, withReversals };
    const updated = await this.#settle(payment.id, () =>
      this.#fetch(provider, payment.id, options),
    );
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
  async #fetch(
    provider: PaymentProvider,
    paymentId: string,
    query: PaymentQuery,
  ): Promise<ProviderPayment | null> {
    const reported = await provider.fetchPayment(paymentId, query);
    for (const status of reported?.unknownStatuses ?? []) {
      const text = `payment ${paymentId} has a status of ${provider.name} that is unknown`;
      this.#deps.onError(new Error(`${text}, ${status}`));
    }
    return reported;
  }

  /**
   * Stores the time of the next check first, so that a check that fails is not repeated at once.
   */
  async #checkAndReschedule(payment: PaymentRow): Promise<void> {
    const { database, clock } = this.#deps;
    await store.scheduleCheck(database.db, payment.id, nextCheckAt(payment, clock()));
    await this.#check(payment);
  }

  /**
   * Returns how many card payments of a user are still pending, with those that could not be
   * checked.
   */
  async #checkPending(userId: string): Promise<number> {
    const { database, onError } = this.#deps;
    const pending = await store.pendingOf(database.db, userId, 'stripe', CHECK_BATCH_SIZE);
    const checked: PaymentRow[] = [];
    const failures: unknown[] = [];
    for (const payment of pending) {
      try {
        checked.push(await this.#check(payment));
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

/** Returns the error that tells the operator to refund a payment. */
const refundDue = ({ id, note }: PaymentRow) =>
  new Error(`payment ${id} was not credited and must be refunded: ${note}`);
