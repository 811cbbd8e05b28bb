import { sql } from 'kysely';
import type { Statement } from '../../platform/db/batch.ts';
import { inlineRead } from '../../platform/db/inline-read.ts';
import type { Executor, SqlBoolean, Tx } from '../../platform/db/port.ts';
import { prepareStatement } from '../../platform/db/prepare-statement.ts';
import type { BlobRow, FileRow } from './tables.ts';

/** Returns the statement that inserts the blob of a new file. */
export const blobInsertion = (db: Executor, blob: BlobRow): Statement => ({
  query: insert.query(db, blob),
});

const insert = prepareStatement((db, blob: BlobRow) => db.insertInto('blobs').values(blob));

/**
 * Returns the statement that deletes the blob of a file which is being processed. No other version has it, as only
 * processed files are copied.
 */
export const blobDeletion = (db: Executor, id: string): Statement => ({
  query: deleteOne.query(db, { id }),
});

const deleteOne = prepareStatement((db, { id }: { id: string }) =>
  db.deleteFrom('blobs').where('id', '=', id),
);

/** Returns the statement that notes where the only object of a blob is, whose bytes were in others before. */
export const blobPlacement = (
  db: Executor,
  place: Pick<BlobRow, 'id' | 'prefix' | 'object_key'>,
): Statement => ({ query: placeOne.query(db, place) });

const placeOne = prepareStatement(
  (db, { id, ...place }: Pick<BlobRow, 'id' | 'prefix' | 'object_key'>) =>
    db.updateTable('blobs').set(place).where('id', '=', id),
);

/** What is known of the bytes of an upload that nobody has read yet. */
export const UNREAD: Facts = { width: null, height: null, duration: null, thumb_hash: null };
type Facts = Pick<BlobRow, 'width' | 'height' | 'duration' | 'thumb_hash'>;

/** Returns the statement that stores what the bytes of a blob tell. */
export const factsUpdate = (db: Executor, id: string, facts: Facts): Statement => ({
  query: updateFacts.query(db, { id, ...facts }),
});

const updateFacts = prepareStatement((db, { id, ...facts }: { id: string } & Facts) =>
  db.updateTable('blobs').set(facts).where('id', '=', id),
);

/** A file with its bytes, as far as it tells whether these are still to be read. */
export type ReadableFile = Pick<
  FileRow,
  'id' | 'bucket_id' | 'blob_id' | 'content_type' | 'file_type'
> & {
  user_id: string;
  /** Null where the bytes aren't kept, or are in several objects. */
  object_key: string | null;
  size: number | null;
  /** 1 where something is known of the bytes. */
  is_known: SqlBoolean;
};

/** Whether there is any file, in whichever bucket. */
export async function hasFiles(db: Executor): Promise<boolean> {
  const query = db
    .selectFrom('files')
    .select('id')
    .where('id', '>', '')
    .orderBy('id')
    .limit(1)
    .$call(inlineRead);
  return (await query.executeTakeFirst()) !== undefined;
}

/** Returns the files behind an id, of all buckets, in the order of their ids. */
export async function readableFiles(
  db: Executor,
  { after, limit }: { after: string; limit: number },
): Promise<ReadableFile[]> {
  return db
    .selectFrom('files')
    .innerJoin('buckets', 'buckets.id', 'files.bucket_id')
    .leftJoin('blobs', 'blobs.id', 'files.blob_id')
    .select(['files.id', 'files.bucket_id', 'files.blob_id', 'files.content_type'])
    .select(['files.file_type', 'buckets.user_id'])
    .select(['blobs.object_key', 'blobs.size'])
    .select(
      sql<SqlBoolean>`case when coalesce(blobs.width, blobs.duration) is not null
        or blobs.thumb_hash is not null then 1 else 0 end`.as('is_known'),
    )
    .where('files.id', '>', after)
    .orderBy('files.id')
    .limit(limit)
    .execute();
}

/** Returns a blob; undefined where there is none. */
export async function blobById(db: Executor, id: string): Promise<BlobRow | undefined> {
  return db.selectFrom('blobs').selectAll().where('id', '=', id).executeTakeFirst();
}

/**
 * Notes that a version no longer has a blob, whose row is deleted with the last one. The transaction deletes the
 * row of the version, or its `blob_id`, too.
 */
export async function releaseBlob(
  tx: Tx,
  id: string,
): Promise<{ prefix: string; isLast: boolean } | undefined> {
  // The update locks the row, so that of two versions one is the last.
  const blob = await tx
    .updateTable('blobs')
    .set((row) => ({ refs: row('refs', '-', 1) }))
    .where('id', '=', id)
    .returning(['refs', 'prefix'])
    .executeTakeFirst();
  if (!blob) return undefined;
  const isLast = blob.refs === 0;
  if (isLast) await tx.deleteFrom('blobs').where('id', '=', id).execute();
  return { prefix: blob.prefix, isLast };
}

/** Deletes blobs whose bucket is being deleted with all versions, and returns the prefixes of their objects. */
export async function takeBlobs(tx: Tx, ids: string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const blobs = await tx.deleteFrom('blobs').where('id', 'in', ids).returning('prefix').execute();
  return blobs.map(({ prefix }) => prefix);
}
