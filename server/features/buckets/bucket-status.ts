import type { BucketStatus } from '../../contract/wire.ts';
import { AppError, conflict } from '../../errors.ts';
import type { AccountStatus } from '../accounts/service.ts';
import type { BucketRow } from './tables.ts';

/** The columns of a bucket's row, and of its owner's, on which the bucket's status depends. */
export type BucketState = Pick<BucketRow, 'status' | 'banned_at'> & OwnerState;

/** The state of a bucket's owner, which all of their buckets share. */
export type OwnerState = {
  owner_status: AccountStatus | null;
  /** Until when the files of a suspended account are delivered; null where it is not suspended. */
  delivery_until: number | null;
};

/**
 * Returns the status of a bucket. A ban of the bucket or its owner hides every other status but
 * deleting. A bucket is suspended if and only if its account is.
 */
export function bucketStatusOf(bucket: BucketState): BucketStatus {
  if (bucket.status === 'deleting') return 'deleting';
  if (bucket.banned_at !== null || bucket.owner_status !== 'active') return 'banned';
  return bucket.delivery_until === null ? 'running' : 'suspended';
}

/** The error for a bucket whose deletion has started. */
export const bucketBeingDeleted = () => conflict('This bucket is being deleted.');

/** Throws conflict where the deletion of a bucket has started. */
export function requireNotDeleting({ status }: { status: BucketStatus }): void {
  if (status === 'deleting') throw bucketBeingDeleted();
}

/** The error for a banned bucket. */
export const banned = () => new AppError(403, 'banned', 'This bucket is banned.');
