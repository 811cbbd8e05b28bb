import { HOUR } from '../../contract/limits.ts';
import type { BucketStatus } from '../../contract/wire.ts';
import { AppError } from '../../errors.ts';
import type { BucketRow, UserRow } from '../../platform/db/tables.ts';

/** What a bucket's row and its owner's say of it together. */
export type BucketState = Pick<BucketRow, 'status' | 'banned_at'> & {
  owner_status: UserRow['status'] | null;
};

/** How a bucket stands: a ban, also of its owner, hides what else is the matter, but for its end. */
export function bucketStatusOf({ status, banned_at, owner_status }: BucketState): BucketStatus {
  if (status === 'deleting') return status;
  return banned_at !== null || owner_status !== 'active' ? 'banned' : status;
}

/** How long a suspended bucket is still delivered. */
const GRACE = 72 * HOUR;

/** Whether nothing of a bucket is delivered any more until its account is topped up. */
export const isSuspended = (
  { suspended_at, status }: Pick<BucketRow, 'suspended_at' | 'status'>,
  now: number,
): boolean => status === 'suspended' && suspended_at !== null && now >= suspended_at + GRACE;

export const banned = () => new AppError(403, 'banned', 'The bucket is banned.');

/**
 * A banned bucket takes nothing and its keys and tokens open nothing; its owner may still look at
 * it and delete. Throws banned.
 * @param caller.isOwner whether the owner's session calls
 * @param caller.right what for
 */
export function requireNotBanned(
  bucket: { status: BucketStatus },
  caller: { isOwner: boolean; right: 'manage' | 'upload' },
): void {
  if (bucket.status !== 'banned') return;
  if (!caller.isOwner || caller.right === 'upload') throw banned();
}
