import { expect, test } from 'bun:test';
import { startStripe } from '../../../tests/support/payments/stripe.ts';
import { HOUR, MINUTE, SECOND } from '../../contract/limits.ts';
import { newId } from '../ids.ts';
import { StripeProvider } from './stripe.ts';

/** Returns a fake of Stripe, and the provider of a server whose clock is ahead by so much. */
async function start(aheadMs = 0) {
  const stripe = await startStripe();
  const clock = { ahead: aheadMs };
  const now = () => Date.now() + clock.ahead;
  const provider = new StripeProvider({
    secretKey: stripe.env.STRIPE_SECRET_KEY,
    webhookSecret: stripe.env.STRIPE_WEBHOOK_SECRET,
    apiBase: stripe.env.STRIPE_API_BASE,
    appUrl: 'https://wharf.example',
    clock: now,
  });
  const checkout = (email = 'ana@example.com') => ({
    paymentId: newId(now()),
    userId: newId(now()),
    amount: 25_000_000,
    email,
  });
  return { stripe, clock, provider, checkout };
}

test('a checkout that is opened again a minute later is the same page', async () => {
  const { stripe, clock, provider, checkout } = await start();
  const again = checkout();
  const first = await provider.open(again);
  clock.ahead += MINUTE;
  expect((await provider.open(again)).url).toBe(first.url);
  expect(stripe.sessions).toHaveLength(1);
  await stripe.stop();
});

test('a clock that is wrong refuses nobody, and the page ends when Stripe says so', async () => {
  for (const ahead of [90 * SECOND, 30 * HOUR, -30 * HOUR]) {
    const { stripe, provider, checkout } = await start(ahead);
    const { expiresAt } = await provider.open(checkout());
    expect(expiresAt).toBe((stripe.sessions[0]?.expires_at ?? 0) * SECOND);
    await stripe.stop();
  }
});

test('an address that Stripe refuses is left out, and any other refusal is one', async () => {
  const { stripe, provider, checkout } = await start();
  const odd = checkout('"quoted name"@example.com');
  const { url } = await provider.open(odd);
  expect(stripe.at(url).customer_email).toBeNull();
  expect((await provider.open(odd)).url).toBe(url);
  expect(stripe.sessions).toHaveLength(1);
  const refused = provider.open({ ...checkout(), amount: 0 });
  await expect(refused).rejects.toMatchObject({ code: 'provider-failed' });
  expect(stripe.sessions).toHaveLength(1);
  await stripe.stop();
});

test('a checkout can be closed while it is open, and again', async () => {
  const { stripe, provider, checkout } = await start();
  const { checkoutId } = await provider.open(checkout());
  await provider.expire(checkoutId);
  await provider.expire(checkoutId);
  expect(stripe.sessions[0]?.status).toBe('expired');
  stripe.troubles.push({ status: 500 }, { status: 500 });
  await expect(provider.expire(checkoutId)).rejects.toMatchObject({ code: 'unavailable' });
  await stripe.stop();
});

test('a refund that is sent again is one refund, and Stripe keeps it within the payment', async () => {
  const { stripe, provider, checkout } = await start();
  const { url } = await provider.open(checkout());
  stripe.pay(stripe.at(url));
  const reference = stripe.at(url).payment_intent?.id ?? '';
  const refund = { refundId: 'r1', reference, amount: 10_550_000, reason: 'asked by mail' };
  await provider.refund(refund);
  await provider.refund(refund);
  expect(stripe.refunds).toMatchObject([
    { amount: 1055, metadata: { refund: 'r1', reason: 'asked by mail' } },
  ]);
  const tooMuch = provider.refund({ ...refund, refundId: 'r2', amount: 20_000_000 });
  await expect(tooMuch).rejects.toMatchObject({ code: 'provider-failed' });
  await stripe.stop();
});
