import { DAY } from '../../../contract/limits.ts';
import { inlineRead } from '../../../platform/db/inline-read.ts';
import type { Executor } from '../../../platform/db/port.ts';
import { prepareStatement } from '../../../platform/db/prepare-statement.ts';
import { type Keys, seal, unseal } from '../../../platform/secrets/secrets.ts';
import { newWebhookSecret } from '../../../platform/webhooks/target.ts';
import type { BucketRow } from '../tables.ts';

/** How long both secrets sign after a rotation, so that the receiver has time to change its own. */
const SECRET_OVERLAP_MS = DAY;

type Secrets = { current: string; previous?: { secret: string; until: number } };
type Sealed = Pick<BucketRow, 'id'> & { webhook_secret_sealed: string };

const sealSecrets = (keys: Keys, bucketId: string, secrets: Secrets) =>
  seal(keys('webhook-secret-seal'), JSON.stringify(secrets), bucketId);

const openSecrets = (keys: Keys, row: Sealed): Secrets =>
  JSON.parse(unseal(keys.all('webhook-secret-seal'), row.webhook_secret_sealed, row.id));

/** Returns the sealed column of a bucket's first secret. */
export const firstSecret = (keys: Keys, bucketId: string): string =>
  sealSecrets(keys, bucketId, { current: newWebhookSecret() });

/** Returns the sealed column after a rotation at `now`, in epoch milliseconds. */
export const rolledSecret = (keys: Keys, row: Sealed, now: number): string =>
  sealSecrets(keys, row.id, {
    current: newWebhookSecret(),
    previous: { secret: openSecrets(keys, row).current, until: now + SECRET_OVERLAP_MS },
  });

/** Returns the current secret, which the owner may view. */
export const currentSecret = (keys: Keys, row: Sealed): string => openSecrets(keys, row).current;

/** Returns all secrets that sign at `now`, in epoch milliseconds, the current one first. */
export function signingSecrets(keys: Keys, row: Sealed, now: number): string[] {
  const { current, previous } = openSecrets(keys, row);
  return previous && now < previous.until ? [current, previous.secret] : [current];
}

/** Stores a bucket's first secret, unless it has one already. */
export async function putFirstSecret(db: Executor, id: string, sealed: string): Promise<void> {
  await db
    .updateTable('buckets')
    .set({ webhook_secret_sealed: sealed })
    .where('id', '=', id)
    .where('webhook_secret_sealed', 'is', null)
    .execute();
}

/**
 * Replaces the sealed secret `before` by `next`. Returns false where another process was faster.
 */
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

/** Disables a webhook, or enables it with null, if its URL is still `url`. */
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

/** What a bucket has of its webhook. */
export type WebhookRow = Pick<
  BucketRow,
  'id' | 'user_id' | 'webhook' | 'webhook_disabled_at' | 'webhook_secret_sealed'
>;

/** The same where the webhook has a secret. */
export type WithSecret = WebhookRow & { webhook_secret_sealed: string };

/** Returns what a bucket has of its webhook; undefined where the bucket does not exist. */
export async function webhookOf(db: Executor, id: string): Promise<WebhookRow | undefined> {
  return (await findWebhook(db, { id })).rows[0];
}

const findWebhook = prepareStatement((db, { id }: { id: string }) =>
  db
    .selectFrom('buckets')
    .select(['id', 'user_id', 'webhook', 'webhook_disabled_at', 'webhook_secret_sealed'])
    .where('id', '=', id)
    .$call(inlineRead),
);
