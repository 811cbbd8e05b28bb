import { expect, test } from 'bun:test';
import { startCryptomus } from '../../../tests/support/payments/cryptomus.ts';
import { startStripe } from '../../../tests/support/payments/stripe.ts';
import { STRIPE_EVENTS } from '../../platform/payments/stripe-inspection.ts';
import { checkProviders } from './payments.ts';

const APP_URL = 'https://files.example.com';
const ADDRESS = `${APP_URL}/payments/stripe/webhook`;

/** Returns a fake of Stripe, and what doctor says of it with a key; problems begin with an exclamation mark. */
async function start() {
  const stripe = await startStripe();
  const check = async (secretKey = stripe.env.STRIPE_SECRET_KEY) => {
    const { STRIPE_API_BASE: apiBase, STRIPE_WEBHOOK_SECRET: webhookSecret } = stripe.env;
    const settings = { stripe: { secretKey, webhookSecret, apiBase }, cryptomus: null };
    const findings = await Array.fromAsync(checkProviders({ ...settings, appUrl: APP_URL }));
    return findings.map(({ ok, text }) => `${ok ? '' : '! '}${text}`);
  };
  const endpoint = (change: Partial<(typeof stripe.endpoints)[number]> = {}) => {
    const standard = { id: 'we_1', url: ADDRESS, status: 'enabled', enabled_events: STRIPE_EVENTS };
    stripe.endpoints.push({ ...standard, ...change });
  };
  return { stripe, check, endpoint };
}
const VALID = 'Stripe: the key is valid, in test mode: nobody is charged';

test('a key with all permissions and an endpoint with all events has no problem', async () => {
  const { stripe, check, endpoint } = await start();
  endpoint({ url: 'https://shop.example.com/hook', enabled_events: ['charge.refunded'] });
  endpoint({ status: 'disabled' });
  endpoint();
  expect(await check()).toEqual([VALID]);
  stripe.endpoints.splice(0);
  endpoint({ enabled_events: ['*'] });
  expect(await check()).toEqual([VALID]);
  expect(stripe.calls.filter(({ method }) => method === 'POST').map(({ path }) => path)).toEqual([
    '/v1/checkout/sessions/cs_test_wharf_doctor/expire',
    '/v1/checkout/sessions/cs_test_wharf_doctor/expire',
  ]);
  await stripe.stop();
});

test('permissions that a restricted key lacks are named', async () => {
  const { stripe, check, endpoint } = await start();
  endpoint();
  stripe.deniedPaths.push('/v1/checkout/sessions', '/v1/disputes');
  expect(await check()).toEqual([
    VALID,
    '! Stripe: the key lacks Checkout Sessions (write), Disputes (read)',
  ]);
  stripe.deniedPaths.splice(0, 2, '/v1/webhook_endpoints');
  expect(await check()).toEqual([
    VALID,
    "Stripe: the key can't read Webhook Endpoints, so they are not checked",
  ]);
  await stripe.stop();
});

test('an endpoint that is disabled, or lacks events, is a problem; in test mode none is needed', async () => {
  const { stripe, check, endpoint } = await start();
  expect(await check()).toEqual([
    VALID,
    `Stripe: no endpoint has the address ${ADDRESS}; stripe listen needs none`,
  ]);
  endpoint({ status: 'disabled' });
  expect(await check()).toEqual([VALID, `! Stripe: the endpoint ${ADDRESS} is disabled`]);
  stripe.endpoints.splice(0);
  endpoint({ enabled_events: STRIPE_EVENTS.filter((event) => !event.startsWith('refund.')) });
  expect(await check()).toEqual([
    VALID,
    `! Stripe: the endpoint ${ADDRESS} lacks the events refund.created, refund.updated, refund.failed`,
  ]);
  await stripe.stop();
});

test('a key that is refused, and a provider that does not answer, are problems that tell no secret', async () => {
  const { stripe, check } = await start();
  const [refused] = await check('sk_live_of_another_account');
  expect(refused).toStartWith('! Stripe: it refuses the key (');
  expect(refused).not.toContain('sk_live');
  await stripe.stop();
  expect(await check()).toEqual([expect.stringMatching(/^! Stripe: .* not responding/)]);
});

test('Cryptomus is asked whether it accepts the merchant and the key', async () => {
  const cryptomus = await startCryptomus();
  const { CRYPTOMUS_MERCHANT: merchant, CRYPTOMUS_API_BASE: apiBase } = cryptomus.env;
  const check = async (paymentKey: string) => {
    const settings = { stripe: null, cryptomus: { merchant, paymentKey, apiBase } };
    const findings = await Array.fromAsync(checkProviders({ ...settings, appUrl: APP_URL }));
    return findings.map(({ ok, text }) => [ok, text]);
  };
  expect(await check(cryptomus.env.CRYPTOMUS_PAYMENT_KEY)).toEqual([
    [true, 'Cryptomus: the key is valid'],
  ]);
  expect(await check('another')).toEqual([[false, 'Cryptomus: it refuses the key (status 401)']]);
  await cryptomus.stop();
});

test('the guide names every event', async () => {
  const guide = await Bun.file(`${import.meta.dir}/../../../docs/guide/billing.md`).text();
  for (const event of STRIPE_EVENTS) expect(guide).toContain(`\`${event}\``);
});
