import { expect, test } from 'bun:test';
import { startStripe } from '../../../tests/support/payments/stripe.ts';
import { MINUTE } from '../../contract/limits.ts';
import { newId } from '../ids.ts';
import { StripeProvider } from './stripe.ts';

test('a checkout that is opened again a minute later is the same page', async () => {
  const stripe = await startStripe();
  let now = Date.now();
  const provider = new StripeProvider({
    secretKey: stripe.env.STRIPE_SECRET_KEY,
    webhookSecret: stripe.env.STRIPE_WEBHOOK_SECRET,
    apiBase: stripe.env.STRIPE_API_BASE,
    appUrl: 'https://wharf.example',
    clock: () => now,
  });
  const checkout = { paymentId: newId(now), amount: 25_000_000, email: 'ana@example.com' };
  const first = await provider.open(checkout);
  now += MINUTE;
  expect((await provider.open(checkout)).url).toBe(first.url);
  expect(stripe.sessions).toHaveLength(1);
  await stripe.stop();
});
