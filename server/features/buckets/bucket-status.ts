import { SUSPENSION_GRACE_MS } from '../../contract/limits.ts';
import type { BucketStatus } from '../../contract/wire.ts';
import { AppError, conflict } from '../../errors.ts';
import type { AccountStatus } from '../accounts/service.ts';
import type { BucketRow } from './tables.ts';

/** The columns of a bucket's row, and of its owner's, on which the bucket's status depends. */
export type BucketState = Pick<BucketRow, 'status' | 'banned_at'> & {
  owner_status: AccountStatus | null;
};

/**
 * Returns the status of a bucket. A ban of the bucket or its owner hides every other status but
 * deleting.
 */
export function bucketStatusOf({ status, banned_at, owner_status }: BucketState): BucketStatus {
  if (status === 'deleting') return status;
  return banned_at !== null || owner_status !== 'active' ? 'banned' : status;
}

/**
 * Whether a suspended bucket's grace period is over, so that delivery stops until the account is
 * topped up.
 */
export const isSuspended = (
  { suspended_at, status }: Pick<BucketRow, 'suspended_at' | 'status'>,
  now: number,
): boolean =>
  status === 'suspended' && suspended_at !== null && now >= suspended_at + SUSPENSION_GRACE_MS;

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
