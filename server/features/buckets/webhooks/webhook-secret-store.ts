import { DAY } from '../../../contract/limits.ts';
import type { Executor } from '../../../platform/db/port.ts';
import { type Keys, seal, unseal } from '../../../platform/secrets/secrets.ts';
import { newWebhookSecret } from '../../../platform/webhooks/target.ts';
import type { BucketRow } from '../tables.ts';

/**
 * Both secrets sign for this long after a roll, so that the receiver has time to change its own.
 */
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

/** Writes a bucket's first secret; a secret that exists already stays. */
export async function putFirstSecret(db: Executor, id: string, sealed: string): Promise<void> {
  await db
    .updateTable('buckets')
    .set({ webhook_secret_sealed: sealed })
    .where('id', '=', id)
    .where('webhook_secret_sealed', 'is', null)
    .execute();
}

/** Replaces the secret `before` with `next`; false where another process was faster. */
export async function replaceSecret(
  db: Executor,
  id: string,
  before: string,
  next: string,
): Promise<boolean> {
  const result = await db
    .updateTable('buckets')
    .set({ webhook_secret_sealed: next })
    .where('id', '=', id)
    .where('webhook_secret_sealed', '=', before)
    .executeTakeFirstOrThrow();
  return result.numUpdatedRows === 1n;
}

/** Turns a webhook off, or on with null, if its URL is still `url`. */
export async function setDisabled(
  db: Executor,
  id: string,
  url: string,
  disabledAt: number | null,
): Promise<void> {
  await db
    .updateTable('buckets')
    .set({ webhook_disabled_at: disabledAt })
    .where('id', '=', id)
    .where('webhook', '=', url)
    .execute();
}

/** A bucket's row whose webhook has a secret. */
export type WithSecret = BucketRow & { webhook_secret_sealed: string };
