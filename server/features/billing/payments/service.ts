import type { AdminOwedWire } from '../../../contract/admin.ts';
import { HOUR, MINUTE } from '../../../contract/limits.ts';
import { parseTopUp } from '../../../contract/top-up.ts';
import type { Page, PaymentWire } from '../../../contract/wire.ts';
import { AppError, invalid, tooMany } from '../../../errors.ts';
import type { Clock } from '../../../platform/clock.ts';
import { type ListRange, toPage } from '../../../platform/db/listing.ts';
import type { Database } from '../../../platform/db/port.ts';
import type { PaymentRow } from '../../../platform/db/tables-payments.ts';
import { isId, newId } from '../../../platform/ids.ts';
import type { PaymentProvider, ProviderName } from '../../../platform/payments/port.ts';
import { hold } from '../ledger/ledger.ts';
import { isProviderUnavailable, notCharged } from './errors.ts';
import { newPayment } from './new-payment.ts';
import { createSettle } from './settle.ts';
import * as store from './store.ts';
import { METHODS, toOwedWire, toWire } from './wire.ts';

export type Payments = ReturnType<typeof createPayments>;

/** Opened with its first use; null where the operator has not set it up. */
export type Providers = Record<ProviderName, (() => Promise<PaymentProvider>) | null>;

/** A page at the provider costs it work, and us a row: nobody needs more than these in an hour. */
const BEGUN_PER_HOUR = 30;
/** How many payments one return, or one round of housekeeping, asks about. */
const ASKED_AT_ONCE = 20;
/** A payment whose page nobody was ever sent to can't be paid; the provider may be slow to say so. */
const GIVEN_UP = HOUR;

/** Credit that is bought: each payment is asked about at its provider, and settled once. */
export function createPayments(options: {
  database: Database;
  clock: Clock;
  providers: Providers;
  /** Told of a payer whose balance may have changed, once it is committed. */
  onSettled: (userId: string) => Promise<void>;
  onError: (error: unknown) => void;
}) {
  const { database, clock, providers, onSettled, onError } = options;
  const { db } = database;
  const settle = createSettle(options);
  const returns = new Map<string, Promise<number>>();
  let hasBegun = false;

  const opened = async (name: ProviderName): Promise<PaymentProvider> => {
    const open = providers[name];
    if (open) return open();
    const what = name === 'stripe' ? 'Paying by card' : 'Paying by crypto';
    throw new AppError(503, 'not-configured', `${what} is not set up on this server.`);
  };

  /** Asks the provider about a payment and settles what it says. */
  const ask = async (payment: PaymentRow, withReversals = false): Promise<PaymentRow> => {
    const provider = await opened(payment.provider);
    const asking = { checkoutId: payment.checkout_id, withReversals };
    const settled = await settle(payment.id, () => provider.truth(payment.id, asking));
    if (settled) {
      await onSettled(settled.user_id).catch(onError);
      if (settled.refund_due > payment.refund_due) onError(owed(settled));
      return settled;
    }
    if (clock() < payment.expires_at + GIVEN_UP) return payment;
    const over = { status: 'expired' as const, ask_at: null };
    await store.changePending(db, payment.id, over);
    return { ...payment, ...over };
  };

  /** Puts off when it is asked about next, then asks. */
  const askAgainLater = async (payment: PaymentRow) => {
    const now = clock();
    const wait = Math.min(HOUR, Math.max(MINUTE, (now - payment.created_at) / 2));
    await store.changePending(db, payment.id, { ask_at: Math.round(now + wait) });
    await ask(payment);
  };

  const askPending = async (userId: string) => {
    const pending = await store.pendingOf(db, userId, 'stripe', ASKED_AT_ONCE);
    const asked: PaymentRow[] = [];
    const failures: unknown[] = [];
    for (const payment of pending) {
      try {
        asked.push(await ask(payment));
      } catch (error) {
        if (isProviderUnavailable(error)) throw error;
        onError(error);
        failures.push(error);
      }
    }
    if (asked.length === 0 && failures.length > 0) throw failures[0];
    return failures.length + asked.filter(({ status }) => status === 'pending').length;
  };

  return {
    /** Which ways to pay there are. */
    methods: { card: providers.stripe !== null, crypto: providers.cryptomus !== null },

    /**
     * Begins a payment and answers the provider's page for it. The payment is on the disk before the
     * provider hears of it. Throws invalid, not-configured, too-many, unavailable, provider-failed.
     */
    async checkout(user: { userId: string; email: string }, name: ProviderName, text: string) {
      const asked = parseTopUp(text);
      if ('problem' in asked) throw invalid(asked.problem, 'bad-amount');
      const { amount } = asked;
      const provider = await opened(name);
      const id = await database.transaction(async (tx) => {
        // Held, so that those that are begun at once are counted one after another.
        await hold(tx, user.userId);
        const now = clock();
        if ((await store.begunSince(tx, user.userId, now - HOUR)) >= BEGUN_PER_HOUR) {
          throw tooMany('Too many payments were begun. Try again in an hour.', HOUR);
        }
        const id = newId(now);
        await store.insertPayment(tx, newPayment(id, user.userId, name, amount, now));
        return id;
      });
      try {
        const checkout = await provider.open({ paymentId: id, amount, email: user.email });
        const { checkoutId, url, expiresAt } = checkout;
        const known = { checkout_id: checkoutId, expires_at: expiresAt };
        await store.changePending(db, id, known);
        return url;
      } catch (error) {
        onError(error);
        await store.changePending(db, id, { status: 'failed', note: 'refused', ask_at: null });
        throw error instanceof AppError ? notCharged(error) : error;
      }
    },

    /** Asks about a payer's pending card payments; answers how many still are. */
    refresh(userId: string): Promise<number> {
      if (!providers.stripe) return Promise.resolve(0);
      const running =
        returns.get(userId) ?? askPending(userId).finally(() => returns.delete(userId));
      returns.set(userId, running);
      return running;
    },

    /** Takes a message of a provider. Throws bad-signature, and what makes the provider send it again. */
    async heed(name: ProviderName, body: string, headers: Headers): Promise<void> {
      const provider = await opened(name);
      const notice = await provider.notice(body, headers);
      const payment =
        notice && isId(notice.paymentId) ? await store.paymentById(db, notice.paymentId) : null;
      if (!notice || payment?.provider !== name) return;
      // A replay of what has been settled asks for nothing.
      if (payment.settled_at !== null && !notice.isReversal) return;
      const checkout_id = payment.checkout_id ?? notice.checkoutId;
      await ask({ ...payment, checkout_id }, notice.isReversal);
    },

    /** Newest first. */
    async list(userId: string, range: ListRange): Promise<Page<PaymentWire>> {
      return toPage(await store.listPayments(db, userId, range), range.limit, toWire);
    },

    /** What the operator owes to who paid it: it is given back at the provider. Newest first. */
    async owed(range: ListRange): Promise<Page<AdminOwedWire>> {
      return toPage(await store.owedPayments(db, range).execute(), range.limit, toOwedWire);
    },

    /**
     * Asks about what is pending, less and less often: a message may have been lost, or the server
     * killed between the provider and the ledger. After a start all are asked about.
     */
    async askDue(): Promise<void> {
      const names = (Object.keys(METHODS) as ProviderName[]).filter((name) => providers[name]);
      if (names.length === 0) return;
      if (!hasBegun) await store.askAll(db, clock());
      hasBegun = true;
      const silent = new Set<ProviderName>();
      for (const payment of await store.duePayments(db, names, clock(), ASKED_AT_ONCE)) {
        if (silent.has(payment.provider)) continue;
        await askAgainLater(payment).catch((error) => {
          // What is wrong with one payment says nothing of the others.
          if (isProviderUnavailable(error)) silent.add(payment.provider);
          onError(error);
        });
      }
    },
  };
}

/** For the operator, who owes it to the payer. */
const owed = ({ id, note }: PaymentRow) =>
  new Error(`payment ${id} was not credited and is to be refunded: ${note}`);
