import { DAY } from '../../../contract/limits.ts';
import { type Keys, seal, unseal } from '../../../platform/secrets/secrets.ts';
import { newWebhookSecret } from '../../../platform/webhooks/signature.ts';
import type { BucketRow } from '../tables.ts';

/** Both secrets sign for this long after a roll, so that the receiver has time to change its own. */
const SECRET_OVERLAP_MS = DAY;

type Secrets = { current: string; previous?: { secret: string; until: number } };
type Sealed = Pick<BucketRow, 'id'> & { webhook_secret_sealed: string };

const sealSecrets = (keys: Keys, bucketId: string, secrets: Secrets) =>
  seal(keys('webhook-secret-seal'), JSON.stringify(secrets), bucketId);

const openSecrets = (keys: Keys, row: Sealed): Secrets =>
  JSON.parse(unseal(keys('webhook-secret-seal'), row.webhook_secret_sealed, row.id));

/** The sealed column of a bucket's first secret. */
export const firstSecret = (keys: Keys, bucketId: string): string =>
  sealSecrets(keys, bucketId, { current: newWebhookSecret() });

/** The sealed column after a roll at `now`, in epoch milliseconds. */
export const rolledSecret = (keys: Keys, row: Sealed, now: number): string =>
  sealSecrets(keys, row.id, {
    current: newWebhookSecret(),
    previous: { secret: openSecrets(keys, row).current, until: now + SECRET_OVERLAP_MS },
  });

/** The secret that signs first, which the owner may see. */
export const currentSecret = (keys: Keys, row: Sealed): string => openSecrets(keys, row).current;

/** All secrets that sign at `now`, in epoch milliseconds, the current one first. */
export function signingSecrets(keys: Keys, row: Sealed, now: number): string[] {
  const { current, previous } = openSecrets(keys, row);
  return previous && now < previous.until ? [current, previous.secret] : [current];
}
