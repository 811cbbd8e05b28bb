import { DAY, HOUR, MINUTE } from '../../../contract/limits.ts';
import { parseTopUp } from '../../../contract/money.ts';
import { AppError, conflict, invalid, tooMany } from '../../../errors.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/db/port.ts';
import { deleteKey, findRepeatedRequest } from '../../../platform/idempotency/idempotency-store.ts';
import { newId } from '../../../platform/ids.ts';
import type { PaymentProvider, ProviderName } from '../../../platform/payments/port.ts';
import { lockAccount } from '../ledger/ledger.ts';
import * as store from './store.ts';
import type { PaymentRow } from './tables.ts';

/** Each provider is opened when it is first used; null where the operator has not configured it. */
export type Providers = Record<ProviderName, (() => Promise<PaymentProvider>) | null>;

/**
 * The limit protects the provider, where every checkout creates a page, and our table of payments.
 */
const MAX_CHECKOUTS_PER_HOUR = 30;

/** Opens a provider. Throws not-configured. */
export async function openProvider(
  providers: Providers,
  name: ProviderName,
): Promise<PaymentProvider> {
  const open = providers[name];
  if (open) return open();
  const kind = name === 'stripe' ? 'Card' : 'Crypto';
  throw new AppError(503, 'not-configured', `${kind} payments aren't enabled on this server.`);
}

type Deps = {
  database: Database;
  clock: Clock;
  providers: Providers;
  onError: (error: unknown) => void;
};

/** Starts payments. */
export class Checkout {
  constructor(private readonly deps: Deps) {}

  /**
   * Starts a payment and returns the URL of the provider's page for it. The payment is stored
   * before the provider is called. Throws bad-amount, not-configured, too-many, unavailable,
   * provider-failed, and conflict for a key of another request or of a payment that has ended.
   * @param text the amount in USD, as it was typed
   * @param idempotencyKey a repeated request with the same key returns the page of the same payment
   */
  async start(
    user: { userId: string; email: string },
    name: ProviderName,
    text: string,
    idempotencyKey?: string,
  ): Promise<string> {
    const { database, providers, onError } = this.deps;
    const parsed = parseTopUp(text);
    if ('problem' in parsed) throw invalid(parsed.problem, 'bad-amount');
    const { amount } = parsed;
    const provider = await openProvider(providers, name);
    const { userId } = user;
    const { payment, isRepeated } = await this.insertPayment(userId, name, amount, idempotencyKey);
    const { id, checkout_url } = payment;
    if (checkout_url) return checkout_url;
    try {
      const checkout = await provider.open({ paymentId: id, ...user, amount });
      const { checkoutId, url, expiresAt } = checkout;
      const columns = { checkout_id: checkoutId, checkout_url: url, expires_at: expiresAt };
      await store.changePending(database.db, id, columns);
      return url;
    } catch (error) {
      onError(error);
      // A repetition may be refused while the first request still gets the page, which can then be paid.
      if (!isRepeated) await this.failPayment(userId, id, idempotencyKey);
      throw error instanceof AppError ? notCharged(error) : error;
    }
  }

  /** Marks a payment for which there is no page as failed, and lets its request be repeated. */
  private async failPayment(userId: string, id: string, key: string | undefined): Promise<void> {
    await this.deps.database.transaction(async (tx) => {
      const failed = { status: 'failed', note: 'refused', ask_at: null } as const;
      await store.changePending(tx, id, failed);
      if (key) await deleteKey(tx, userId, key);
    });
  }

  /**
   * Returns the new payment, or that of the same request. While the provider is being asked about that
   * one, it has no page yet: the provider, which knows it by its id, then returns the same page twice.
   * Throws too-many, conflict.
   */
  private insertPayment(
    userId: string,
    provider: ProviderName,
    amount: number,
    key: string | undefined,
  ): Promise<{ payment: PaymentRow; isRepeated: boolean }> {
    const { database, clock } = this.deps;
    return database.transaction(async (tx) => {
      // The lock makes checkouts that start at the same time count each other.
      await lockAccount(tx, userId);
      const now = clock();
      const id = newId(now);
      const request = ['payment', provider, String(amount)];
      const existing = await findRepeatedRequest(tx, { userId, key, request, subjectId: id }, now);
      const payment = existing === null ? undefined : await store.paymentById(tx, existing);
      if (payment && payment.status !== 'pending') throw hasEnded();
      if (payment) return { payment, isRepeated: true };
      if ((await store.countPaymentsSince(tx, userId, now - HOUR)) >= MAX_CHECKOUTS_PER_HOUR) {
        throw tooMany('Too many payments were started. Try again in an hour.', HOUR);
      }
      const row = newPaymentRow(id, userId, provider, amount, now);
      await store.insertPayment(tx, row);
      return { payment: row, isRepeated: false };
    });
  }
}

/**
 * Returns the row of a payment whose provider has not been called yet. `amount` is in micro-USD.
 */
export const newPaymentRow = (
  id: string,
  userId: string,
  provider: ProviderName,
  amount: number,
  now: number,
): PaymentRow => ({
  id,
  user_id: userId,
  provider,
  amount,
  status: 'pending',
  checkout_id: null,
  checkout_url: null,
  reference: null,
  received: 0,
  credited: 0,
  reversed: 0,
  refund_due: 0,
  note: null,
  created_at: now,
  expires_at: now + DAY,
  settled_at: null,
  ask_at: now + MINUTE,
  announced_at: null,
});

const hasEnded = () =>
  conflict('This payment has ended. Send a new Idempotency-Key to start another one.');

/**
 * Returns the error with a sentence that reassures the payer: without a checkout nobody can have
 * paid.
 */
const notCharged = ({ status, code, text, headers, retry }: AppError): AppError =>
  new AppError(status, code, `${text} Nothing was charged.`, headers, { retry });
