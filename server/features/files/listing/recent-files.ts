import {
  BUCKET_PREVIEW_FILES,
  type BucketPreviews,
  type RecentFile,
} from '../../../contract/home/summary.ts';
import type { Executor } from '../../../platform/db/port.ts';
import { filesByIds } from '../store.ts';
import type { MediaFileRow } from '../tables.ts';
import { newestFilesOfBuckets } from './recent-store.ts';

/** How many of an account's newest files are returned. */
const RECENT_FILES = 6;
/** In how many buckets, of which the newest come first, they are looked for. */
const MAX_BUCKETS = 250;

/**
 * Returns the newest files of all buckets of an account, and the previews of some of its buckets. A bucket without
 * files has no preview, and neither has one that is not the account's.
 */
export async function recentFiles(
  db: Executor,
  userId: string,
  previewedIds: string[],
): Promise<{ recent: RecentFile[]; previews: BucketPreviews }> {
  const limits = { buckets: MAX_BUCKETS, files: Math.max(RECENT_FILES, BUCKET_PREVIEW_FILES) };
  const buckets = await newestFilesOfBuckets(db, userId, limits);
  const bucketNames = new Map(buckets.map(({ id, name }) => [id, name]));
  const recentIds = newestFirst(buckets.flatMap(({ fileIds }) => fileIds)).slice(0, RECENT_FILES);
  const previewed = buckets
    .filter(({ id, fileIds }) => previewedIds.includes(id) && fileIds.length > 0)
    .map(({ id, fileIds }) => ({
      id,
      fileIds: newestFirst(fileIds).slice(0, BUCKET_PREVIEW_FILES),
    }));
  const ids = new Set([...recentIds, ...previewed.flatMap(({ fileIds }) => fileIds)]);
  const files = new Map((await filesByIds(db, [...ids])).map((row) => [row.id, row]));
  // A file can have been deleted since its id was read.
  const found = (fileIds: string[]) => fileIds.flatMap((id) => files.get(id) ?? []);
  return {
    recent: found(recentIds).map((row) => ({
      ...toPreview(row),
      name: row.name,
      size: row.size,
      date: new Date(row.created_at).toISOString(),
      bucket_id: row.bucket_id,
      bucket_name: bucketNames.get(row.bucket_id) ?? '',
    })),
    previews: Object.fromEntries(
      previewed.map(({ id, fileIds }) => [id, found(fileIds).map(toPreview)]),
    ),
  };
}

const toPreview = ({ id, file_type, status, thumb_hash }: MediaFileRow) => ({
  ...{ id, file_type, status },
  thumbhash: thumb_hash,
});

/** Sorts ids, which are in the order of time, newest first. */
const newestFirst = (ids: string[]): string[] => ids.toSorted((a, b) => (a < b ? 1 : -1));
