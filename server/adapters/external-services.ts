import type { Config } from '../config/config.ts';
import { memoizeAsync } from '../contract/memoize.ts';
import type { Providers } from '../features/billing/payments/service.ts';
import type { Clock } from '../platform/clock.ts';
import type { Mailer } from '../platform/mail/port.ts';

/** Returns a mailer that is opened, and its library loaded, with the first mail. */
export function lazyMailer({ mail }: Config, announce: (path: string) => void): Mailer {
  const open = memoizeAsync(async (): Promise<Mailer> => {
    if (mail.kind === 'outbox') {
      const { openOutboxMailer } = await import('../platform/mail/outbox.ts');
      return openOutboxMailer({ ...mail, announce });
    }
    const { openSmtpMailer } = await import('../platform/mail/smtp.ts');
    return openSmtpMailer(mail);
  });
  return {
    async send(letter, signal) {
      await (await open()).send(letter, signal);
    },
  };
}

/** Throws where the mail server can't be reached, or rejects our login. */
export async function reachMail(url: string): Promise<void> {
  await (await import('../platform/mail/smtp.ts')).reachSmtp(url);
}

/** Returns the payment providers, each of which is opened, and its library loaded, with the first payment. */
export function lazyProviders(
  { stripe, cryptomus, appUrl }: Pick<Config, 'stripe' | 'cryptomus' | 'appUrl'>,
  clock: Clock,
): Providers {
  return {
    stripe:
      stripe &&
      memoizeAsync(async () => {
        const { StripeProvider } = await import('../platform/payments/stripe.ts');
        return new StripeProvider({ ...stripe, appUrl, clock });
      }),
    cryptomus:
      cryptomus &&
      memoizeAsync(async () => {
        const { CryptomusProvider } = await import('../platform/payments/cryptomus.ts');
        return new CryptomusProvider({ ...cryptomus, appUrl, clock });
      }),
  };
}
