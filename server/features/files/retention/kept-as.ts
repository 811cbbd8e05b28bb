import { DAY } from '../../../contract/limits.ts';
import type { FileStatus } from '../../../contract/wire.ts';
import type { Retention } from '../../buckets/service.ts';
import type { FileRow } from '../tables.ts';

/** Why a file is no longer the current one at its path. */
export type Cause = 'deleted' | 'replaced';

/**
 * Returns how a bucket keeps a file that is deleted or replaced at `now` (epoch milliseconds); null where it is
 * deleted for good. A replaced file is kept as a version where it is one, or the bucket keeps versions, and otherwise like
 * a deleted one. A file that is being processed, or has failed, can't be opened, so it isn't kept.
 */
export function keptAs(
  { status, version_id }: { status: FileStatus } & Pick<FileRow, 'version_id'>,
  cause: Cause,
  { keep_deleted_days, keep_versions }: Retention,
  now: number,
): { removal: Cause; purge_at: FileRow['purge_at'] } | null {
  if (status !== 'success') return null;
  const isVersion = keep_versions > 0 || version_id !== null;
  if (cause === 'replaced' && isVersion) return { removal: 'replaced', purge_at: null };
  const purge_at = purgeTime({ keep_deleted_days }, now);
  return purge_at === null ? null : { removal: 'deleted', purge_at };
}

/** Returns until when a bucket keeps what is deleted at `now`, in epoch milliseconds; null where it doesn't. */
export const purgeTime = (
  { keep_deleted_days }: Pick<Retention, 'keep_deleted_days'>,
  now: number,
): number | null => (keep_deleted_days === 0 ? null : now + keep_deleted_days * DAY);
