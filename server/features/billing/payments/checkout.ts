import { DAY, HOUR, MINUTE } from '../../../contract/limits.ts';
import { parseTopUp } from '../../../contract/money.ts';
import { AppError, invalid, tooMany } from '../../../errors.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/db/port.ts';
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

type Dependencies = {
  database: Database;
  clock: Clock;
  providers: Providers;
  onError: (error: unknown) => void;
};

/** Starts payments. */
export class Checkout {
  constructor(private readonly deps: Dependencies) {}

  /**
   * Starts a payment and returns the URL of the provider's page for it. The payment is stored
   * before the provider is called. Throws bad-amount, not-configured, too-many, unavailable,
   * provider-failed.
   * @param text the amount in USD, as it was typed
   */
  async start(
    user: { userId: string; email: string },
    name: ProviderName,
    text: string,
  ): Promise<string> {
    const { database, providers, onError } = this.deps;
    const parsed = parseTopUp(text);
    if ('problem' in parsed) throw invalid(parsed.problem, 'bad-amount');
    const { amount } = parsed;
    const provider = await openProvider(providers, name);
    const id = await this.insertPayment(user.userId, name, amount);
    try {
      const checkout = await provider.open({ paymentId: id, amount, email: user.email });
      const { checkoutId, url, expiresAt } = checkout;
      const columns = { checkout_id: checkoutId, checkout_url: url, expires_at: expiresAt };
      await store.changePending(database.db, id, columns);
      return url;
    } catch (error) {
      onError(error);
      const failed = { status: 'failed', note: 'refused', ask_at: null } as const;
      await store.changePending(database.db, id, failed);
      throw error instanceof AppError ? notCharged(error) : error;
    }
  }

  /** Returns the id of the new payment. Throws too-many. */
  private insertPayment(userId: string, provider: ProviderName, amount: number): Promise<string> {
    const { database, clock } = this.deps;
    return database.transaction(async (tx) => {
      // The lock makes checkouts that start at the same time count each other.
      await lockAccount(tx, userId);
      const now = clock();
      if ((await store.countPaymentsSince(tx, userId, now - HOUR)) >= MAX_CHECKOUTS_PER_HOUR) {
        throw tooMany('Too many payments were started. Try again in an hour.', HOUR);
      }
      const id = newId(now);
      await store.insertPayment(tx, newPaymentRow(id, userId, provider, amount, now));
      return id;
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
});

/**
 * Returns the error with a sentence that reassures the payer: without a checkout nobody can have
 * paid.
 */
const notCharged = ({ status, code, text, headers, retry }: AppError): AppError =>
  new AppError(status, code, `${text} Nothing was charged.`, headers, { retry });
