import type { readConfig } from '../../config/config.ts';
import { PROVIDER_NAMES, webhookStates } from '../../features/billing/payments/service.ts';
import type { Database } from '../../platform/db/port.ts';
import { type Finding, fine, problem } from './finding.ts';

type Settings = Pick<ReturnType<typeof readConfig>, 'stripe' | 'cryptomus' | 'appUrl'>;

/** How the operator mends webhooks that don't arrive. */
const CHANGES = {
  stripe: (appUrl: string) =>
    `Check that Stripe's endpoint is ${appUrl}/payments/stripe/webhook, and that STRIPE_WEBHOOK_SECRET is its signing secret.`,
  cryptomus: (appUrl: string) =>
    `Check that Cryptomus can reach ${appUrl}/payments/crypto/webhook, and that CRYPTOMUS_PAYMENT_KEY is the payment key.`,
};

/** Reports when each provider last sent a webhook, and whether one announced the last payment. */
export async function* checkWebhooks(
  { db }: Pick<Database, 'db'>,
  config: Settings,
): AsyncGenerator<Finding> {
  for (const state of await webhookStates(db, config, Date.now())) {
    const { provider, lastWebhookAt, unannouncedAt } = state;
    const name = PROVIDER_NAMES[provider];
    const last = lastWebhookAt === null ? 'no webhook yet' : `last webhook ${time(lastWebhookAt)}`;
    if (unannouncedAt === null) {
      yield fine('payments', `${name}: ${last}`);
      continue;
    }
    yield problem(
      'payments',
      `${name}: no webhook announced the payment of ${time(unannouncedAt)}; ${last}`,
      CHANGES[provider](config.appUrl),
    );
  }
}

const time = (at: number) => `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
