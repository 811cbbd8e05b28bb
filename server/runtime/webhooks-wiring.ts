import type { Config } from '../config/config.ts';
import { memoizeAsync } from '../contract/memoize.ts';
import { hostCheck } from '../features/buckets/validation.ts';
import { Webhooks } from '../features/buckets/webhooks/webhooks.ts';
import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/db/port.ts';
import { type Resolve, systemResolve } from '../platform/outbound/ssrf-policy.ts';
import type { Keys } from '../platform/secrets/secrets.ts';
import { WebhookDispatcher } from '../platform/webhooks/dispatcher.ts';
import type { Send } from '../platform/webhooks/send.ts';

/**
 * Connects the webhooks of buckets with the dispatcher that delivers them, and with the check of their
 * hosts.
 */
export function wireWebhooks(options: {
  config: Pick<Config, 'webhookAllowPrivate'>;
  database: Database;
  keys: Keys;
  clock: Clock;
  onError: (error: unknown) => void;
}) {
  const { config, clock } = options;
  const hosts = { allowPrivate: config.webhookAllowPrivate, resolve: systemResolve };
  const webhooks = new Webhooks({
    ...options,
    attempt: (delivery) => dispatcher.attempt(delivery),
  });
  const dispatcher = new WebhookDispatcher({
    ...options,
    send: lazySend({ ...hosts, clock }),
    targetOf: (delivery) => webhooks.targetOf(delivery),
    onOutcome: (delivery, url, outcome) => webhooks.applyOutcome(delivery, url, outcome),
  });
  return { webhooks, dispatcher, checkHost: hostCheck(hosts) };
}

/** Returns a `Send` whose libraries are loaded with the first delivery. */
function lazySend(options: { allowPrivate: boolean; resolve: Resolve; clock: Clock }): Send {
  const load = memoizeAsync(async () => {
    const { createSend } = await import('../platform/webhooks/send.ts');
    return createSend(options);
  });
  return async (...delivery) => (await load())(...delivery);
}
