import type { Executor } from '../../../platform/db/port.ts';
import type { BucketRow } from '../tables.ts';

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
