import Stripe from 'stripe';
import { DAY, SECOND } from '../../contract/limits.ts';
import type { Clock } from '../clock.ts';
import { badSignature, noAnswer, PROVIDER_TIMEOUT_MS, ProviderError } from './errors.ts';
import type { Notice, PaymentProvider } from './port.ts';
import { reversalOfDispute, reversalOfRefund, toProviderPayment } from './stripe-payment.ts';

/** A message that is older than this may be a replay (Stripe's own choice). */
const TOLERANCE_SECONDS = 300;
const CHECKOUT_LIFE = DAY;
const LIST = 100;

/**
 * Cards, on the page of Stripe Checkout. The session carries the payment's id, which ties
 * everything that happens to it to that row.
 */
export function openStripe(options: {
  secretKey: string;
  webhookSecret: string;
  apiBase: string;
  appUrl: string;
  clock: Clock;
}): PaymentProvider {
  const { webhookSecret, appUrl, clock } = options;
  const stripe = new Stripe(options.secretKey, {
    timeout: PROVIDER_TIMEOUT_MS,
    maxNetworkRetries: 1,
    telemetry: false,
    ...addressOf(options.apiBase),
  });

  /** One page is all: nobody refunds or disputes a payment a hundred times. */
  const reversalsOf = async (intent: string) => {
    const [refunds, disputes] = await Promise.all([
      stripe.refunds.list({ payment_intent: intent, limit: LIST }),
      stripe.disputes.list({ payment_intent: intent, limit: LIST }),
    ]);
    return [...refunds.data.map(reversalOfRefund), ...disputes.data.map(reversalOfDispute)];
  };

  const sessionNotice = (session: Stripe.Checkout.Session, isReversal: boolean): Notice | null => {
    const paymentId = session.metadata?.payment;
    return paymentId ? { paymentId, checkoutId: session.id, isReversal } : null;
  };

  return {
    name: 'stripe',

    open: ({ paymentId, amount, email }) =>
      called(async () => {
        const expiresAt = clock() + CHECKOUT_LIFE - 60 * SECOND;
        const session = await stripe.checkout.sessions.create(
          {
            mode: 'payment',
            allowed_payment_method_types: ['card'],
            adaptive_pricing: { enabled: false },
            customer_email: email,
            client_reference_id: paymentId,
            metadata: { payment: paymentId },
            payment_intent_data: { metadata: { payment: paymentId } },
            line_items: [
              {
                quantity: 1,
                price_data: {
                  currency: 'usd',
                  unit_amount: amount / 10_000,
                  product_data: { name: 'Wharf credit' },
                },
              },
            ],
            success_url: `${appUrl}/billing/success`,
            cancel_url: `${appUrl}/billing`,
            expires_at: Math.floor(expiresAt / SECOND),
          },
          { idempotencyKey: paymentId },
        );
        if (!session.url) throw new ProviderError('the session has no URL');
        return { checkoutId: session.id, url: session.url, expiresAt };
      }),

    truth: (paymentId, { checkoutId, withReversals }) =>
      called(async () => {
        if (!checkoutId) return null;
        const session = await stripe.checkout.sessions
          .retrieve(checkoutId, { expand: ['payment_intent'] })
          .catch(nullWhereMissing);
        // A session that was made for another payment says nothing of this one.
        if (session?.metadata?.payment !== paymentId) return null;
        const { reference } = toProviderPayment(session, null);
        const reversals = withReversals && reference ? await reversalsOf(reference) : null;
        return toProviderPayment(session, reversals);
      }),

    async notice(body, headers) {
      const event = await verified(body, headers);
      const { object } = event.data;
      if (event.type.startsWith('checkout.session.')) {
        return sessionNotice(object as Stripe.Checkout.Session, false);
      }
      if (!/^(charge\.(refund|dispute)|refund\.)/.test(event.type)) return null;
      const intent = (object as { payment_intent?: string | null }).payment_intent;
      if (!intent) return null;
      const found = await called(() =>
        stripe.checkout.sessions.list({ payment_intent: intent, limit: 1 }),
      );
      return found.data[0] ? sessionNotice(found.data[0], true) : null;
    },
  };

  async function verified(body: string, headers: Headers): Promise<Stripe.Event> {
    const signature = headers.get('stripe-signature');
    if (!signature) throw badSignature();
    try {
      return await stripe.webhooks.constructEventAsync(
        body,
        signature,
        webhookSecret,
        TOLERANCE_SECONDS,
        undefined,
        clock(),
      );
    } catch {
      throw badSignature();
    }
  }
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

/** Stripe's errors by our names; what they say may quote the key, so only their kind is kept. */
async function called<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeError)) throw error;
    const { type, code, statusCode } = error;
    const isTheirs = (statusCode ?? 500) >= 500 || statusCode === 429;
    if (error instanceof Stripe.errors.StripeConnectionError || isTheirs) throw noAnswer();
    throw new ProviderError(`${type} ${code ?? ''} ${statusCode ?? ''}`.trim());
  }
}
