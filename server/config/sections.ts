import type { envReader } from './reader.ts';

/** Who takes payments: each is named in full or not at all, as half of it would lose money. */
export function readProviders(read: ReturnType<typeof envReader>) {
  const both = (first: string, second: string): [string, string] | null => {
    const [one, other] = [read.text(first), read.text(second)];
    if (one && other) return [one, other];
    if (one || other) read.mistake(`${first} and ${second} must be set together.`);
    return null;
  };
  const base = (name: string, usual: string) => read.url(name, ['https:', 'http:']) ?? usual;

  const stripe = both('STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET');
  const stripeBase = base('STRIPE_API_BASE', 'https://api.stripe.com');
  const cryptomus = both('CRYPTOMUS_MERCHANT', 'CRYPTOMUS_PAYMENT_KEY');
  const cryptomusBase = base('CRYPTOMUS_API_BASE', 'https://api.cryptomus.com');
  return {
    stripe: stripe && { secretKey: stripe[0], webhookSecret: stripe[1], apiBase: stripeBase },
    cryptomus: cryptomus && {
      merchant: cryptomus[0],
      paymentKey: cryptomus[1],
      apiBase: cryptomusBase,
    },
  };
}
