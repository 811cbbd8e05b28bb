import { SECOND } from '../../contract/limits.ts';
import { AppError, upstreamUnavailable } from '../../errors.ts';

export type ProviderName = 'stripe' | 'cryptomus';

/** A payment to be made. Amounts are micro-USD, times epoch milliseconds. */
export type Checkout = { paymentId: string; userId: string; amount: number; email: string };

/** The provider's page for a payment, which is open until `expiresAt`. */
export type OpenCheckout = { checkoutId: string; url: string; expiresAt: number };

/** A refund or a dispute, which takes money back. It stands until the provider withdraws it. */
export type Reversal = {
  /** The provider's id of the reversal, which is unique. */
  id: string;
  kind: 'refund' | 'dispute';
  /** Null means the whole payment. */
  amount: number | null;
  stands: boolean;
};

/** A refund or a dispute, with the provider's id of the payment that it is about. */
export type ListedReversal = { reference: string; reversal: Reversal };

/** The state of a payment as the provider reports it. */
export type ProviderPayment = {
  checkoutId: string;
  /**
   * 'short': the payment has ended with less than the requested amount. 'returned': the money went back to
   * the payer.
   */
  state: 'open' | 'failed' | 'expired' | 'paid' | 'short' | 'returned';
  /** The amount that the provider requested from the payer. */
  requested: { amount: number; currency: string };
  /** The amount that arrived. */
  received: number;
  /** The provider's id of the payment itself; null until there is one. */
  reference: string | null;
  /** Null where reversals were not requested. */
  reversals: Reversal[] | null;
  /** Statuses that this program doesn't know, such as `dispute dp_1: mediation`, for the operator. */
  unknownStatuses: string[];
};

/**
 * A payment in the provider's list. Its ids are what `open` stored with it, so they also name payments
 * that are missing from our database.
 */
export type ListedPayment = {
  paymentId: string;
  checkoutId: string;
  /** The user who started the payment; null where it was opened by a version that stored none. */
  userId: string | null;
  /** The requested amount. */
  amount: number;
  createdAt: number;
};

/** What a provider says about our key and our webhook, for the operator. */
export type ProviderInspection = {
  /** In test mode nobody is charged. Null for a provider without one. */
  mode: 'live' | 'test' | null;
  /** What the key is not allowed to do, by the provider's names. */
  deniedPermissions: string[];
  /**
   * Whether the provider sends webhooks to this server; null where each payment says where to.
   * 'unknown': the key may not read it.
   */
  webhook: 'enabled' | 'missing' | 'disabled' | 'unknown' | null;
  /** The events that the webhook lacks. */
  missingEvents: string[];
};

/** What a webhook of the provider says: which payment to look up. */
export type WebhookNotice = {
  paymentId: string;
  checkoutId: string | null;
  isReversal: boolean;
  /** The amount that the webhook says was paid, for the operator; 0 where it says nothing of that. */
  paid: number;
};

/** Money that the operator gives back. The amount is in micro-USD and a multiple of a cent. */
export type Refund = {
  /** Identifies the refund: a second call with the same id refunds nothing. */
  refundId: string;
  /** The provider's id of the payment. */
  reference: string;
  amount: number;
  /** Why, for the operator's view of the refund at the provider. */
  reason: string;
};

export type PaymentQuery = { checkoutId: string | null; withReversals: boolean };

/**
 * A payment provider. Its methods throw unavailable where the provider does not respond, and
 * provider-failed where it refuses. Neither error contains a secret.
 */
export type PaymentProvider = {
  name: ProviderName;
  /** Opens a checkout. A second call for the same payment returns the same checkout. */
  open(checkout: Checkout): Promise<OpenCheckout>;
  /**
   * Closes a checkout, so that nobody can pay it any more. One that has ended, and one of a provider that
   * can't close any, is left as it is.
   */
  expire(checkoutId: string): Promise<void>;
  /** Returns the current state of a payment; null where the provider does not know it. */
  fetchPayment(paymentId: string, query: PaymentQuery): Promise<ProviderPayment | null>;
  /**
   * Refunds a part of a payment or all of it; null where the provider can't refund an amount to the
   * payer. The refund is among the payment's reversals afterwards.
   */
  refund: ((refund: Refund) => Promise<void>) | null;
  /**
   * Yields pages of the refunds and disputes since a moment in epoch milliseconds. Those that are
   * older and change for so long are among them, and the same one can be yielded twice.
   */
  listReversals(since: number): AsyncIterable<ListedReversal[]>;
  /** Yields pages of the payments that were started since a moment and for which money arrived. */
  listPayments(since: number): AsyncIterable<ListedPayment[]>;
  /** Asks about the key and the webhook. Throws provider-failed where the key is refused. */
  inspect(): Promise<ProviderInspection>;
  /** Parses a webhook; null where it is not about one of our payments. Throws bad-signature. */
  parseWebhook(body: string, headers: Headers): Promise<WebhookNotice | null>;
};

/** How long a provider may take to respond. */
export const PROVIDER_TIMEOUT_MS = 8 * SECOND;

export const providerUnavailable = () =>
  upstreamUnavailable(
    undefined,
    'The payment provider is not responding. Try again in a minute.',
    60 * SECOND,
  );

/**
 * The provider refused the request. Only the operator can act on the reason, so it appears in the log and
 * nowhere else.
 */
export class ProviderError extends AppError {
  constructor(reason: string) {
    super(502, 'provider-failed', 'The payment provider refused the request.');
    this.name = 'ProviderFailed';
    this.message = reason;
  }
}

export const badSignature = () => new AppError(400, 'bad-signature', 'The signature is not valid.');
