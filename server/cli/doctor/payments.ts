import { lazyProviders } from '../../adapters/external-services.ts';
import type { readConfig } from '../../config/config.ts';
import { PROVIDER_NAMES, webhookStates } from '../../features/billing/payments/service.ts';
import type { Database } from '../../platform/db/port.ts';
import type { ProviderInspection, ProviderName } from '../../platform/payments/port.ts';
import { type Finding, fine, problem, reasonOf } from './finding.ts';

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

const SETTINGS = {
  stripe: 'STRIPE_SECRET_KEY',
  cryptomus: 'CRYPTOMUS_MERCHANT and CRYPTOMUS_PAYMENT_KEY',
};

/** Asks each provider about its key, the key's permissions, and the webhook. */
export async function* checkProviders(config: Settings): AsyncGenerator<Finding> {
  const providers = lazyProviders(config, Date.now);
  for (const name of ['stripe', 'cryptomus'] as const) {
    const provider = await providers[name]?.();
    if (!provider) continue;
    try {
      yield* findingsOf(name, await provider.inspect(), config);
    } catch (error) {
      yield problem(
        'payments',
        `${PROVIDER_NAMES[name]}: ${refusalOf(error)}`,
        `Check ${SETTINGS[name]}, and that this machine can reach ${PROVIDER_NAMES[name]}.`,
      );
    }
  }
}

/** The provider's own reason is in the message of an error that we answer with another text. */
const refusalOf = (error: unknown) =>
  (error as { code?: string }).code === 'provider-failed'
    ? `it refuses the key (${(error as Error).message})`
    : reasonOf(error);

function* findingsOf(
  name: ProviderName,
  { mode, deniedPermissions, webhook, missingEvents }: ProviderInspection,
  { appUrl }: Settings,
): Generator<Finding> {
  const provider = PROVIDER_NAMES[name];
  const url = `${appUrl}/payments/stripe/webhook`;
  const wrong = (text: string, change: string) =>
    problem('payments', `${provider}: ${text}`, change);
  yield fine('payments', `${provider}: the key is valid${MODES[mode ?? 'only']}`);
  if (deniedPermissions.length > 0) {
    yield wrong(
      `the key lacks ${deniedPermissions.join(', ')}`,
      "Add these permissions to the restricted key in Stripe's dashboard.",
    );
  }
  if (webhook === 'unknown') {
    yield fine(
      'payments',
      `${provider}: the key can't read Webhook Endpoints, so they are not checked`,
    );
  }
  if (webhook === 'missing' && mode === 'test') {
    yield fine(
      'payments',
      `${provider}: no endpoint has the address ${url}; stripe listen needs none`,
    );
  } else if (webhook === 'missing') {
    yield wrong(`no endpoint has the address ${url}`, `Add it in Stripe's dashboard.`);
  }
  if (webhook === 'disabled') {
    yield wrong(`the endpoint ${url} is disabled`, "Enable it in Stripe's dashboard.");
  }
  if (missingEvents.length > 0) {
    yield wrong(
      `the endpoint ${url} lacks the events ${missingEvents.join(', ')}`,
      "Add these events to the endpoint in Stripe's dashboard.",
    );
  }
}

const MODES = {
  live: ', in live mode',
  test: ', in test mode: nobody is charged',
  only: '',
};
