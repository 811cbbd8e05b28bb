import { sql } from 'kysely';
import { inlineRead } from '../../../platform/db/inline-read.ts';
import type { Executor, Tx } from '../../../platform/db/port.ts';
import type { TransformRow } from './tables.ts';

export async function findTransform(
  db: Executor,
  fileId: string,
  transform: string,
): Promise<TransformRow | undefined> {
  return db
    .selectFrom('derivatives')
    .selectAll()
    .where('file_id', '=', fileId)
    .where('transform', '=', transform)
    .$call(inlineRead)
    .executeTakeFirst();
}

export async function insertTransform(tx: Tx, row: TransformRow): Promise<void> {
  await tx.insertInto('derivatives').values(row).execute();
}

/** Deletes the row of an image, and returns whether there was one. */
export async function deleteTransform(tx: Tx, id: string): Promise<boolean> {
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
export async function countTransforms(
  db: Executor,
  bucketId: string,
): Promise<{ images: number; bytes: number }> {
  const total = await db
    .selectFrom('derivative_totals')
    .select(['images', 'bytes'])
    .where('bucket_id', '=', bucketId)
    .$call(inlineRead)
    .executeTakeFirst();
  return total ?? { images: 0, bytes: 0 };
}

/** Returns the least recently used image of a file. */
export const oldestOf = (db: Executor, fileId: string): Promise<TransformRow | undefined> =>
  imagesByLastUse(db).where('file_id', '=', fileId).limit(1).executeTakeFirst();

const sumOfTotals = sql<number>`(select coalesce(sum(bytes), 0) from derivative_totals)`;

/** Returns the bytes of all images. Where there is none, no thread has to start for it. */
export async function totalBytes(db: Executor): Promise<number> {
  const any = db.selectFrom('derivative_totals').select('bucket_id').limit(1);
  if (!(await any.$call(inlineRead).executeTakeFirst())) return 0;
  const { total } = await db.selectNoFrom(sumOfTotals.as('total')).executeTakeFirstOrThrow();
  return total;
}

/**
 * Returns the images that were not requested for longest, and the bytes of all images. Both come
 * from one statement: with a total that is older than the list, two processes would delete more
 * than they should.
 */
export async function leastUsed(
  db: Executor,
  limit: number,
): Promise<{ oldest: TransformRow[]; total: number }> {
  const oldest = await imagesByLastUse(db).select(sumOfTotals.as('total')).limit(limit).execute();
  return { oldest, total: oldest[0]?.total ?? 0 };
}

/**
 * Returns at most `limit` images of buckets whose transforms are turned off.
 * @param bucketIds only of these buckets; null for all
 */
export async function unwanted(
  db: Executor,
  limit: number,
  bucketIds: string[] | null,
): Promise<TransformRow[]> {
  // With a literal, SQLite finds the buckets by their partial index.
  const query = db
    .selectFrom('buckets')
    .innerJoin('derivatives', 'derivatives.bucket_id', 'buckets.id')
    .selectAll('derivatives')
    .where('buckets.transforms', '=', sql.lit('off'))
    .limit(limit)
    .$call(inlineRead);
  return (bucketIds ? query.where('buckets.id', 'in', bucketIds) : query).execute();
}

/** Selects images, the least recently used first. */
const imagesByLastUse = (db: Executor) =>
  db.selectFrom('derivatives').selectAll().orderBy('used_at').orderBy('id');

/** Sets when images were last used, in epoch milliseconds. */
export async function touch(db: Executor, ids: string[], now: number): Promise<void> {
  await db.updateTable('derivatives').set({ used_at: now }).where('id', 'in', ids).execute();
}
