import Stripe from 'stripe';
import type { ProviderInspection } from './port.ts';

/** The events that tell of payments, refunds and disputes, as the guide lists them. */
export const STRIPE_EVENTS = [
  'checkout.session.completed',
  'checkout.session.expired',
  'checkout.session.async_payment_succeeded',
  'checkout.session.async_payment_failed',
  'refund.created',
  'refund.updated',
  'refund.failed',
  'charge.refunded',
  'charge.dispute.created',
  'charge.dispute.updated',
  'charge.dispute.closed',
  'charge.dispute.funds_withdrawn',
  'charge.dispute.funds_reinstated',
];

/** No session has this id, so closing it needs the permission and changes nothing. */
const NO_SESSION = 'cs_test_wharf_doctor';

/**
 * Asks Stripe what the key may do and where it sends webhooks. Throws Stripe's errors, except those
 * about permissions.
 */
export async function inspectStripe(
  stripe: Stripe,
  { secretKey, webhookUrl }: { secretKey: string; webhookUrl: string },
): Promise<ProviderInspection> {
  const attempts: [permission: string, attempt: () => Promise<unknown>][] = [
    ['Checkout Sessions (write)', () => stripe.checkout.sessions.expire(NO_SESSION)],
    ['Payment Intents (read)', () => stripe.paymentIntents.list({ limit: 1 })],
    ['Charges and Refunds (read)', () => stripe.refunds.list({ limit: 1 })],
    ['Disputes (read)', () => stripe.disputes.list({ limit: 1 })],
  ];
  const deniedPermissions: string[] = [];
  for (const [permission, attempt] of attempts) {
    if (!(await isAllowed(attempt))) deniedPermissions.push(permission);
  }
  return {
    mode: /^[a-z]+_live_/.test(secretKey) ? 'live' : 'test',
    deniedPermissions,
    ...(await inspectWebhook(stripe, webhookUrl)),
  };
}

async function isAllowed(attempt: () => Promise<unknown>): Promise<boolean> {
  try {
    await attempt();
    return true;
  } catch (error) {
    if (error instanceof Stripe.errors.StripePermissionError) return false;
    // The object that was named does not exist, which Stripe says only to who may ask.
    if (error instanceof Stripe.errors.StripeError && error.statusCode === 404) return true;
    throw error;
  }
}

type Webhook = Pick<ProviderInspection, 'webhook' | 'missingEvents'>;

/** Several endpoints can have the address, such as one of an earlier setup that is disabled. */
async function inspectWebhook(stripe: Stripe, webhookUrl: string): Promise<Webhook> {
  const none = { missingEvents: [] };
  let endpoints: Stripe.WebhookEndpoint[];
  try {
    endpoints = (await stripe.webhookEndpoints.list({ limit: 100 })).data;
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripePermissionError)) throw error;
    return { webhook: 'unknown', ...none };
  }
  const ours = endpoints.filter(({ url }) => url === webhookUrl);
  if (ours.length === 0) return { webhook: 'missing', ...none };
  const enabled = ours.filter(({ status }) => status === 'enabled');
  if (enabled.length === 0) return { webhook: 'disabled', ...none };
  const events = new Set(enabled.flatMap(({ enabled_events }) => enabled_events));
  const missingEvents = events.has('*') ? [] : STRIPE_EVENTS.filter((event) => !events.has(event));
  return { webhook: 'enabled', missingEvents };
}
