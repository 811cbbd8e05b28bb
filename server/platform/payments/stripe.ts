import Stripe from 'stripe';
import { SECOND } from '../../contract/limits.ts';
import { MICRO_PER_CENT } from '../../contract/money.ts';
import type { Clock } from '../clock.ts';
import {
  badSignature,
  type Checkout,
  type ListedPayment,
  type ListedReversal,
  type OpenCheckout,
  type PaymentProvider,
  type PaymentQuery,
  PROVIDER_TIMEOUT_MS,
  ProviderError,
  type ProviderInspection,
  type ProviderPayment,
  providerUnavailable,
  type Refund,
  type WebhookNotice,
} from './port.ts';
import { inspectStripe } from './stripe-inspection.ts';
import { listAllReversals, listPaidSessions, reversalsOf } from './stripe-lists.ts';
import { toProviderPayment } from './stripe-payment.ts';

/** Older webhooks may be replays. This is Stripe's own default. */
const TOLERANCE_SECONDS = 300;

/**
 * Takes card payments on the page of Stripe Checkout. The session's metadata contains the payment's id,
 * which ties all later events to its row.
 */
export class StripeProvider implements PaymentProvider {
  readonly name = 'stripe';
  private readonly secretKey: string;
  private readonly webhookSecret: string;
  private readonly appUrl: string;
  private readonly clock: Clock;
  private readonly stripe: Stripe;

  constructor(options: {
    secretKey: string;
    webhookSecret: string;
    apiBase: string;
    appUrl: string;
    clock: Clock;
  }) {
    this.secretKey = options.secretKey;
    this.webhookSecret = options.webhookSecret;
    this.appUrl = options.appUrl;
    this.clock = options.clock;
    this.stripe = new Stripe(options.secretKey, {
      timeout: PROVIDER_TIMEOUT_MS,
      maxNetworkRetries: 1,
      telemetry: false,
      ...addressOf(options.apiBase),
    });
  }

  open(checkout: Checkout): Promise<OpenCheckout> {
    return callStripe(async () => {
      const session = await this.createSession(checkout);
      if (!session.url) throw new ProviderError('the session has no URL');
      const { id: checkoutId, url, expires_at } = session;
      return { checkoutId, url, expiresAt: expires_at * SECOND };
    });
  }

  expire(checkoutId: string): Promise<void> {
    return callStripe(async () => {
      await this.stripe.checkout.sessions.expire(checkoutId).catch((error: unknown) => {
        // Stripe answers so where the session is not open, because it was paid or has expired.
        if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw error;
      });
    });
  }

  /**
   * Stripe accepts fewer addresses than we do. The payer can type another one on its page. It also
   * refuses an idempotency key with other parameters, so the second attempt has a key of its own.
   */
  private createSession({ email, ...checkout }: Checkout): Promise<Stripe.Checkout.Session> {
    const params = sessionParams(checkout, this.appUrl);
    const { sessions } = this.stripe.checkout;
    const idempotencyKey = checkout.paymentId;
    return sessions
      .create({ ...params, customer_email: email }, { idempotencyKey })
      .catch((error: unknown) => {
        const isRefused = error instanceof Stripe.errors.StripeInvalidRequestError;
        if (!isRefused || error.param !== 'customer_email') throw error;
        return sessions.create(params, { idempotencyKey: `${idempotencyKey}-without-email` });
      });
  }

  fetchPayment(
    paymentId: string,
    { checkoutId, withReversals }: PaymentQuery,
  ): Promise<ProviderPayment | null> {
    return callStripe(async () => {
      if (!checkoutId) return null;
      const session = await this.stripe.checkout.sessions
        .retrieve(checkoutId, { expand: ['payment_intent'] })
        .catch(nullWhereMissing);
      // The session belongs to another payment, so it says nothing about this one.
      if (session?.metadata?.payment !== paymentId) return null;
      const { reference } = toProviderPayment(session, null);
      const reversals =
        withReversals && reference ? await reversalsOf(this.stripe, reference) : null;
      return toProviderPayment(session, reversals);
    });
  }

  refund({ refundId, reference, amount, reason }: Refund): Promise<void> {
    return callStripe(async () => {
      await this.stripe.refunds.create(
        {
          payment_intent: reference,
          amount: amount / MICRO_PER_CENT,
          // Of Stripe's other reasons, 'fraudulent' blocks the card, and 'duplicate' is rarely true.
          reason: 'requested_by_customer',
          metadata: { refund: refundId, reason },
        },
        { idempotencyKey: `refund-${refundId}` },
      );
    });
  }

  listReversals(since: number): AsyncGenerator<ListedReversal[]> {
    return translated(listAllReversals(this.stripe, since));
  }

  listPayments(since: number): AsyncGenerator<ListedPayment[]> {
    return translated(listPaidSessions(this.stripe, since));
  }

  inspect(): Promise<ProviderInspection> {
    const { stripe, secretKey, appUrl } = this;
    const webhookUrl = `${appUrl}/payments/stripe/webhook`;
    return callStripe(() => inspectStripe(stripe, { secretKey, webhookUrl }));
  }

  async parseWebhook(body: string, headers: Headers): Promise<WebhookNotice | null> {
    const event = await this.verify(body, headers);
    const { object } = event.data;
    if (event.type.startsWith('checkout.session.')) {
      return toNotice(object as Stripe.Checkout.Session, false);
    }
    if (!/^(charge\.(refund|dispute)|refund\.)/.test(event.type)) return null;
    const intent = (object as { payment_intent?: string | null }).payment_intent;
    if (!intent) return null;
    const { data } = await callStripe(() =>
      this.stripe.checkout.sessions.list({ payment_intent: intent, limit: 1 }),
    );
    return data[0] ? toNotice(data[0], true) : null;
  }

  private async verify(body: string, headers: Headers): Promise<Stripe.Event> {
    const signature = headers.get('stripe-signature');
    if (!signature) throw badSignature();
    try {
      return await this.stripe.webhooks.constructEventAsync(
        body,
        signature,
        this.webhookSecret,
        TOLERANCE_SECONDS,
        undefined,
        this.clock(),
      );
    } catch {
      throw badSignature();
    }
  }
}

/** Stripe's own expiry applies, a day by its clock, so that it does not depend on ours. */
const sessionParams = (
  { paymentId, userId, amount }: Omit<Checkout, 'email'>,
  appUrl: string,
): Stripe.Checkout.SessionCreateParams => ({
  mode: 'payment',
  allowed_payment_method_types: ['card'],
  adaptive_pricing: { enabled: false },
  client_reference_id: paymentId,
  // What is needed to credit the payment without our row of it, after an old backup was restored.
  metadata: { payment: paymentId, user: userId, amount: String(amount / MICRO_PER_CENT) },
  payment_intent_data: { metadata: { payment: paymentId, user: userId } },
  line_items: [
    {
      quantity: 1,
      price_data: {
        currency: 'usd',
        unit_amount: amount / MICRO_PER_CENT,
        product_data: { name: 'Wharf credit' },
      },
    },
  ],
  success_url: `${appUrl}/billing/success?payment=${paymentId}`,
  cancel_url: `${appUrl}/billing?payment=${paymentId}`,
});

function toNotice(session: Stripe.Checkout.Session, isReversal: boolean): WebhookNotice | null {
  const paymentId = session.metadata?.payment;
  if (!paymentId) return null;
  const { received: paid } = toProviderPayment(session, null);
  return { paymentId, checkoutId: session.id, isReversal, paid };
}

function addressOf(base: string) {
  const { protocol, hostname, port } = new URL(base);
  const scheme = protocol === 'http:' ? ('http' as const) : ('https' as const);
  return { protocol: scheme, host: hostname, port: port || (scheme === 'http' ? 80 : 443) };
}

function nullWhereMissing(error: unknown): null {
  if (error instanceof Stripe.errors.StripeError && error.statusCode === 404) return null;
  throw error;
}

/** Translates Stripe's errors. Their messages can quote the API key, so only the type and the code are kept. */
async function callStripe<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeError)) throw error;
    const { type, code, statusCode } = error;
    // 409: an earlier request with the same idempotency key is still in progress, and may succeed.
    const isTemporary = (statusCode ?? 500) >= 500 || statusCode === 429 || statusCode === 409;
    if (error instanceof Stripe.errors.StripeConnectionError || isTemporary)
      throw providerUnavailable();
    throw new ProviderError(`${type} ${code ?? ''} ${statusCode ?? ''}`.trim());
  }
}

/** Yields the pages of a list, with the errors of `callStripe`. */
async function* translated<Page>(pages: AsyncGenerator<Page>): AsyncGenerator<Page> {
  for (;;) {
    const { value, done } = await callStripe(() => pages.next());
    if (done) return;
    yield value;
  }
}
