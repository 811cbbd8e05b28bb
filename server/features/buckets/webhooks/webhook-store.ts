import type { Executor } from '../../../platform/db/port.ts';
import type { BucketRow } from '../../../platform/db/tables.ts';

/** Puts a secret where there is none; the one that is there stays. */
export async function putFirstSecret(db: Executor, id: string, sealed: string): Promise<void> {
  await db
    .updateTable('buckets')
    .set({ webhook_secret_sealed: sealed })
    .where('id', '=', id)
    .where('webhook_secret_sealed', 'is', null)
    .execute();
}

/** Puts `next` in the place of `before`; false where somebody else has been faster. */
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

/** Turns the webhook off or on, if it still leads to `url`. */
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

export type WithSecret = BucketRow & { webhook_secret_sealed: string };
