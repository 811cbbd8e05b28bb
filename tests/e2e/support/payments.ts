import { type CryptomusFixture, startCryptomus } from '../../support/payments/cryptomus.ts';
import { type StripeFixture, startStripe } from '../../support/payments/stripe.ts';
import { ADMIN, test as base } from '../fixtures.ts';

/** Both providers are configured, but send the server no webhooks. */
export const test = base.extend<
  object,
  { providers: { stripe: StripeFixture; cryptomus: CryptomusFixture } }
>({
  providers: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright wants a pattern
    async ({}, use) => {
      const [stripe, cryptomus] = await Promise.all([startStripe(), startCryptomus()]);
      await use({ stripe, cryptomus });
      await Promise.all([stripe.stop(), cryptomus.stop()]);
    },
    { scope: 'worker' },
  ],
  serverEnv: [
    async ({ providers, secrets }, use) => {
      const env = { ...providers.stripe.env, ...providers.cryptomus.env };
      for (const value of Object.values(env)) if (!value.startsWith('http')) secrets.add(value);
      await use({ ...env, SIGNUP_CREDIT: '1', ADMIN_EMAIL: ADMIN });
    },
    { scope: 'worker' },
  ],
});
