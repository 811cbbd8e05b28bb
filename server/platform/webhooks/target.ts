import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { type Keys, seal, unseal } from '../secrets/secrets.ts';

const PREFIX = 'whsec_';
const SECRET_BYTES = 24;

/** Where a webhook goes, and the secrets that sign it: two of them in the day after one was replaced. */
export type Target = { url: string; secrets: string[] };

/**
 * Encrypts the target of a delivery. A delivery outlives its bucket, so its row contains the target with
 * its secrets.
 */
export const sealTarget = (keys: Keys, target: Target, deliveryId: string): string =>
  seal(keys('webhook-target-seal'), JSON.stringify(target), deliveryId);

export const unsealTarget = (keys: Keys, sealed: string, deliveryId: string): Target =>
  JSON.parse(unseal(keys.all('webhook-target-seal'), sealed, deliveryId));

/**
 * Returns the headers by which a receiver verifies the body; the signature is made with each of the
 * secrets.
 */
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

/** Returns a new secret of Standard Webhooks: 192 random bits in the form that its libraries take. */
export const newWebhookSecret = (): string => PREFIX + randomBytes(SECRET_BYTES).toString('base64');
