import { SECOND } from '../../contract/limits.ts';
import { AppError, upstreamUnavailable } from '../../errors.ts';

export type ProviderName = 'stripe' | 'cryptomus';

/** What somebody wants to pay. Amounts are micro-USD, times epoch milliseconds. */
export type Checkout = { paymentId: string; amount: number; email: string };

/** A page of the provider on which it can be paid, until `expiresAt`. */
export type Opened = { checkoutId: string; url: string; expiresAt: number };

/** What took money back, or may: it stands until the provider gives it up. */
export type Reversal = {
  /** The provider's, unique among all of its. */
  id: string;
  kind: 'refund' | 'dispute';
  /** Null: all that was paid. */
  amount: number | null;
  stands: boolean;
};

/** What the provider itself says of one payment when it is asked. */
export type ProviderPayment = {
  checkoutId: string;
  /** 'short': it is over, and less than asked for arrived. 'returned': it went back to the payer. */
  state: 'open' | 'failed' | 'expired' | 'paid' | 'short' | 'returned';
  /** What the provider asked the payer for. */
  asked: { amount: number; currency: string };
  /** What arrived. */
  received: number;
  /** The provider's id of the payment itself; null until there is one. */
  reference: string | null;
  /** Null where it was not asked about them. */
  reversals: Reversal[] | null;
};

/** A message of the provider says no more than where to look. */
export type Notice = { paymentId: string; checkoutId: string | null; isReversal: boolean };

export type Asking = { checkoutId: string | null; withReversals: boolean };

/**
 * One way to be paid. Its calls throw unavailable where the provider doesn't answer, and
 * provider-failed where it refuses; nothing in either is secret.
 */
export type PaymentProvider = {
  name: ProviderName;
  /** Asking twice for one payment opens one checkout. */
  open(checkout: Checkout): Promise<Opened>;
  /** Null where the provider knows of no such payment. */
  truth(paymentId: string, asking: Asking): Promise<ProviderPayment | null>;
  /** Null where the message is about nothing of ours. Throws bad-signature. */
  notice(body: string, headers: Headers): Promise<Notice | null>;
};

/** How long a provider may take to answer. */
export const PROVIDER_TIMEOUT_MS = 8 * SECOND;

export const noAnswer = () =>
  upstreamUnavailable(
    undefined,
    'The payment provider is not responding. Try again in a minute.',
    60 * SECOND,
  );

/** The provider said no: the operator's matter, so that the reason goes to the log alone. */
export class ProviderError extends AppError {
  constructor(reason: string) {
    super(502, 'provider-failed', 'The payment provider refused the payment.');
    this.name = 'ProviderFailed';
    this.message = reason;
  }
}

export const badSignature = () => new AppError(400, 'bad-signature', 'The signature is not valid.');
