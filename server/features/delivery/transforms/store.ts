import { sql } from 'kysely';
import type { Executor, Tx } from '../../../platform/db/port.ts';
import type { GeneratedImageRow } from './tables.ts';

/** A generated image with the bucket to which its bytes belong. */
export type GeneratedImageInBucket = GeneratedImageRow & { bucket_id: string };

export async function findGeneratedImage(
  db: Executor,
  fileId: string,
  transform: string,
): Promise<GeneratedImageRow | undefined> {
  return db
    .selectFrom('derivatives')
    .selectAll()
    .where('file_id', '=', fileId)
    .where('transform', '=', transform)
    .executeTakeFirst();
}

export async function insertGeneratedImage(tx: Tx, row: GeneratedImageRow): Promise<void> {
  await tx.insertInto('derivatives').values(row).execute();
}

/** Deletes the row of an image, and returns whether there was one. */
export async function deleteGeneratedImage(tx: Tx, id: string): Promise<boolean> {
  const result = await tx.deleteFrom('derivatives').where('id', '=', id).executeTakeFirstOrThrow();
  return result.numDeletedRows === 1n;
}

/** Counts the generated images of a file. */
export async function countOf(db: Executor, fileId: string): Promise<number> {
  const { count } = await db
    .selectFrom('derivatives')
    .select((row) => row.fn.countAll<number>().as('count'))
    .where('file_id', '=', fileId)
    .executeTakeFirstOrThrow();
  return count;
}

/** Counts the generated images of a bucket, and their bytes. */
export const generatedImagesIn = (
  db: Executor,
  bucketId: string,
): Promise<{ made: number; bytes: number }> =>
  db
    .selectFrom('derivatives')
    .innerJoin('files', 'files.id', 'derivatives.file_id')
    .where('files.bucket_id', '=', bucketId)
    .select((row) => [
      row.fn.countAll<number>().as('made'),
      row.fn.coalesce(row.fn.sum<number>('derivatives.bytes'), row.lit(0)).as('bytes'),
    ])
    .executeTakeFirstOrThrow();

/** Returns the least recently used image of a file. */
export const oldestOf = (
  db: Executor,
  fileId: string,
): Promise<GeneratedImageInBucket | undefined> =>
  imagesByLastUse(db).where('file_id', '=', fileId).limit(1).executeTakeFirst();

/**
 * Returns the images that were not requested for longest, and the bytes of all images. Both come
 * from one statement: with a total that is older than the list, two processes would delete more
 * than they should. With a subquery the list uses its index, which it would not with a window over
 * all rows.
 */
export async function leastUsed(
  db: Executor,
  limit: number,
): Promise<{ oldest: GeneratedImageInBucket[]; totalBytes: number }> {
  const oldest = await imagesByLastUse(db)
    .select(sql<number>`(select sum(bytes) from derivatives)`.as('total'))
    .limit(limit)
    .execute();
  return { oldest, totalBytes: oldest[0]?.total ?? 0 };
}

/** Returns at most `limit` images of buckets whose transforms are turned off. */
export const unwanted = (db: Executor, limit: number): Promise<GeneratedImageInBucket[]> =>
  imagesByLastUse(db)
    .innerJoin('buckets', 'buckets.id', 'files.bucket_id')
    .where('buckets.transforms', '=', 'off')
    .limit(limit)
    .execute();

/** Selects images with their bucket, the least recently used first. */
const imagesByLastUse = (db: Executor) =>
  db
    .selectFrom('derivatives')
    .innerJoin('files', 'files.id', 'derivatives.file_id')
    .selectAll('derivatives')
    .select('files.bucket_id')
    .orderBy('used_at')
    .orderBy('derivatives.id');

/** Sets when images were last used, in epoch milliseconds. */
export async function touch(db: Executor, ids: string[], now: number): Promise<void> {
  await db.updateTable('derivatives').set({ used_at: now }).where('id', 'in', ids).execute();
}
