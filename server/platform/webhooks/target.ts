import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { type Keys, seal, unseal } from '../secrets/secrets.ts';

const PREFIX = 'whsec_';
const SECRET_BYTES = 24;

/** Where a webhook goes, and what signs it: two secrets in the day after one was replaced. */
export type Target = { url: string; secrets: string[] };

/** A delivery outlives its bucket, so it carries its target; sealed, as that holds secrets. */
export const sealTarget = (keys: Keys, target: Target, deliveryId: string): string =>
  seal(keys('webhook-target-seal'), JSON.stringify(target), deliveryId);

export const unsealTarget = (keys: Keys, sealed: string, deliveryId: string): Target =>
  JSON.parse(unseal(keys('webhook-target-seal'), sealed, deliveryId));

/** The headers that let a receiver verify `body`, signed with each of these secrets. */
export function signedHeaders(
  message: { id: string; body: string },
  secrets: string[],
  now: number,
): Record<string, string> {
  const at = new Date(now);
  return {
    'webhook-id': message.id,
    'webhook-timestamp': String(Math.floor(now / 1000)),
    'webhook-signature': secrets
      .map((secret) => new Webhook(secret).sign(message.id, at, message.body))
      .join(' '),
  };
}

/** A secret of Standard Webhooks: 192 random bits, the form that its libraries take. */
export const newWebhookSecret = (): string => PREFIX + randomBytes(SECRET_BYTES).toString('base64');
