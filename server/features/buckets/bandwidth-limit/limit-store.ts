import { inlineRead } from '../../../platform/db/inline-read.ts';
import type { Executor, Tx } from '../../../platform/db/port.ts';
import type { BucketRow } from '../tables.ts';
import type { LimitState, Limits } from './limit-rules.ts';

/** Returns which of these buckets have a bandwidth limit of a day or a month. */
export async function findLimited(db: Executor, ids: string[]): Promise<BucketRow[]> {
  return db
    .selectFrom('buckets')
    .selectAll()
    .where('id', 'in', ids)
    .where(({ eb, or }) =>
      or([eb('bandwidth_limit', 'is not', null), eb('bandwidth_daily_limit', 'is not', null)]),
    )
    .$call(inlineRead)
    .execute();
}

/**
 * Locks a bucket until the transaction ends, and returns it with the address of its owner, which is
 * null where no mail may be sent to them; undefined where the bucket is gone.
 */
export async function lockLimited(
  tx: Tx,
  id: string,
): Promise<(BucketRow & { email: string | null }) | undefined> {
  const row = await tx
    .updateTable('buckets')
    .set((bucket) => ({ bandwidth_limit: bucket.ref('bandwidth_limit') }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
  if (!row) return undefined;
  const owner = await tx
    .selectFrom('users')
    .select('email')
    .where('id', '=', row.user_id)
    .where('status', '=', 'active')
    .executeTakeFirst();
  return { ...row, email: owner?.email ?? null };
}

/** Stores a bucket's bandwidth limits, or what they do. */
export async function setLimits(
  tx: Tx,
  id: string,
  change: LimitState & Partial<Limits>,
): Promise<void> {
  await tx.updateTable('buckets').set(change).where('id', '=', id).execute();
}
