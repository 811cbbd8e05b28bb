import type { Config } from '../config/config.ts';
import type { Providers } from '../features/billing/payments/service.ts';
import type { Clock } from '../platform/clock.ts';

/** Who takes payments, opened, with its library, for the first of them. */
export function lazyProviders({ stripe, cryptomus, appUrl }: Config, clock: Clock): Providers {
  return {
    stripe:
      stripe &&
      once(async () => {
        const { StripeProvider } = await import('../platform/payments/stripe.ts');
        return new StripeProvider({ ...stripe, appUrl, clock });
      }),
    cryptomus:
      cryptomus &&
      once(async () => {
        const { CryptomusProvider } = await import('../platform/payments/cryptomus.ts');
        return new CryptomusProvider({ ...cryptomus, appUrl, clock });
      }),
  };
}

function once<Result>(open: () => Promise<Result>): () => Promise<Result> {
  let opened: Promise<Result> | undefined;
  return () => {
    opened ??= open();
    return opened;
  };
}
