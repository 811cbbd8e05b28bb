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

/** Whether a suspended bucket is not delivered any more, until the account is topped up. */
export const isSuspended = (
  { delivery_until, status }: { status: BucketStatus } & Pick<OwnerState, 'delivery_until'>,
  now: number,
): boolean => status === 'suspended' && delivery_until !== null && now >= delivery_until;

/** The error for a bucket whose deletion has started. */
export const bucketBeingDeleted = () => conflict('This bucket is being deleted.');

/** Throws conflict where the deletion of a bucket has started. */
export function requireNotDeleting({ status }: { status: BucketStatus }): void {
  if (status === 'deleting') throw bucketBeingDeleted();
}

/** The error for a banned bucket. */
export const banned = () => new AppError(403, 'banned', 'This bucket is banned.');

/**
 * A banned bucket accepts nothing, and its keys and tokens open nothing; its owner may still view
 * and delete it. Throws banned.
 * @param caller.isOwner whether the owner's session calls
 * @param caller.right what the call needs
 */
export function requireNotBanned(
  bucket: { status: BucketStatus },
  caller: { isOwner: boolean; right: 'manage' | 'upload' },
): void {
  if (bucket.status !== 'banned') return;
  if (!caller.isOwner || caller.right === 'upload') throw banned();
}
