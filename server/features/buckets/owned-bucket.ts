import { notFound } from '../../errors.ts';
import type { Executor } from '../../platform/db/port.ts';
import { bucketById } from './store.ts';
import type { BucketRow } from './tables.ts';

/** The row of a user's own bucket. Throws not-found, for another user's bucket too. */
export async function requireOwnedBucket(
  db: Executor,
  userId: string,
  id: string,
): Promise<BucketRow> {
  const row = await bucketById(db, id);
  if (!row || row.user_id !== userId) throw notFound('Bucket');
  return row;
}
