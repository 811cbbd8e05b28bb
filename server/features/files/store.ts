import type { Region } from '../../contract/regions.ts';
import { ACCESSES, FILE_TYPES } from '../../contract/schemas/files.ts';
import type { Access, FileType } from '../../contract/wire.ts';
import type { Statement } from '../../platform/db/batch.ts';
import { inlineRead } from '../../platform/db/inline-read.ts';
import { type ListRange, paged, rowsOfPage } from '../../platform/db/listing.ts';
import type { Executor, Tx } from '../../platform/db/port.ts';
import { prepared } from '../../platform/db/prepared.ts';
import type { FileRow } from './tables.ts';

/** A file's row with the region of its bucket. */
export type FileWithRegion = FileRow & { region: Region | null };

const filesWithRegion = (db: Executor) =>
  db
    .selectFrom('files')
    .leftJoin('buckets', 'buckets.id', 'files.bucket_id')
    .selectAll('files')
    .select('buckets.region');

export type FileFilters = ListRange & { access?: Access | ''; file_type?: FileType | '' };

/**
 * Returns a page of a bucket's files, and one more row where another page follows. The newest files of
 * each type and access are read apart and merged: so one index, by type and access, serves every filter,
 * where an index for each filter would make every upload write three more.
 */
export async function listFiles(
  db: Executor,
  bucketId: string,
  filters: FileFilters,
): Promise<FileRow[]> {
  const types = filters.file_type ? [filters.file_type] : FILE_TYPES;
  const accesses = filters.access ? [filters.access] : ACCESSES;
  const newest = types.flatMap((type) =>
    accesses.map((access) => {
      const files = db
        .selectFrom('files')
        .selectAll()
        .where('bucket_id', '=', bucketId)
        .where('file_type', '=', type)
        .where('access', '=', access);
      // SQLite accepts a limit in a part of a union only where the part is a subquery.
      return db.selectFrom(paged(files, 'files', filters).as('newest')).selectAll();
    }),
  );
  return newest
    .reduce((all, some) => all.unionAll(some))
    .orderBy('id', 'desc')
    .limit(rowsOfPage(filters))
    .execute();
}

/** Returns a file by id, in whichever bucket; undefined where there is none. */
export async function fileById(db: Executor, id: string): Promise<FileWithRegion | undefined> {
  return (await findById(db, { id })).rows[0];
}

const findById = prepared((db, { id }: { id: string }) =>
  filesWithRegion(db).where('files.id', '=', id).$call(inlineRead),
);

export type MediaColumns = Pick<
  FileRow,
  | 'prefix'
  | 'entry'
  | 'width'
  | 'height'
  | 'duration'
  | 'thumb_hash'
  | 'poster'
  | 'previews'
  | 'sha256'
>;
export type Published = MediaColumns &
  Pick<
    FileRow,
    'kept_original' | 'warning' | 'is_turned' | 'stored_bytes' | 'source_prefix' | 'renditions'
  >;

/** Returns the statement that publishes a file. Its guard fails where no such file is being processed. */
export const publication = (
  db: Executor,
  id: string,
  columns: Published,
  otherwise: () => unknown,
): Statement => ({
  query: publish.query(db, { id, ...columns, ...PUBLISHED }),
  expect: 1,
  otherwise,
});

/** The columns that say that a file is published. */
export const PUBLISHED = { status: 'success', error: null, playable: 1 } as const;

const publish = prepared((db, { id, ...columns }: Published & typeof PUBLISHED & { id: string }) =>
  db.updateTable('files').set(columns).where('id', '=', id).where('status', '=', 'processing'),
);

/**
 * Publishes what is playable of a file while it is still being processed. Returns false where it is
 * not.
 */
export async function publishPlayable(tx: Tx, id: string, columns: MediaColumns): Promise<boolean> {
  const result = await tx
    .updateTable('files')
    .set({ ...columns, playable: 1 })
    .where('id', '=', id)
    .where('status', '=', 'processing')
    .executeTakeFirstOrThrow();
  return result.numUpdatedRows === 1n;
}

/**
 * Returns the statement that withdraws what a failed attempt has published early, because its objects will be
 * deleted. The hash of the upload stays if it is known, so that a broken file can be compared too.
 */
export const withdrawal = (db: Executor, id: string, sha256: string | null = null): Statement => ({
  query: db
    .updateTable('files')
    .set({
      ...{ playable: 0, prefix: null, entry: null, poster: null, previews: null },
      ...(sha256 && { sha256 }),
    })
    .where('id', '=', id)
    .where('status', '=', 'processing')
    .compile(),
});

/**
 * Marks a file that could not be processed, and returns its earlier row; undefined where no such file is
 * being processed.
 * @param retryUntil how long its upload stays for a retry, in epoch milliseconds; null where all of its
 *   bytes are deleted
 */
export async function refuseFile(
  tx: Tx,
  id: string,
  reason: string,
  retryUntil: number | null,
): Promise<FileRow | undefined> {
  const before = await processingFile(tx, id);
  if (!before) return undefined;
  await tx
    .updateTable('files')
    .set({
      ...{ status: 'error', error: reason, retry_until: retryUntil },
      ...(retryUntil === null && NO_UPLOAD),
      ...{ playable: 0, prefix: null, entry: null },
    })
    .where('id', '=', id)
    .execute();
  return before;
}

/** The columns of a file whose upload is deleted. */
export const NO_UPLOAD = { stored_bytes: 0, source_prefix: null };

const processingFile = async (tx: Tx, id: string): Promise<FileRow | undefined> =>
  (await findProcessing(tx, { id })).rows[0];

const findProcessing = prepared((tx, { id }: { id: string }) =>
  tx.selectFrom('files').selectAll().where('id', '=', id).where('status', '=', 'processing'),
);

/**
 * Adds to a file's stored bytes, and returns when it was created; undefined where there is no such file, or it
 * is not processed yet.
 */
export async function addStoredBytes(
  tx: Tx,
  id: string,
  bytes: number,
): Promise<number | undefined> {
  const row = await tx
    .updateTable('files')
    .set((row) => ({ stored_bytes: row('stored_bytes', '+', bytes) }))
    .where('id', '=', id)
    .where('status', '=', 'success')
    .returning('created_at')
    .executeTakeFirst();
  return row?.created_at;
}

/** Deletes the row of a bucket's file, and returns it; undefined where there is none. */
export async function takeFile(tx: Tx, bucketId: string, id: string): Promise<FileRow | undefined> {
  return tx
    .deleteFrom('files')
    .where('id', '=', id)
    .where('bucket_id', '=', bucketId)
    .returningAll()
    .executeTakeFirst();
}

export type DeletedFile = Pick<FileRow, 'id' | 'status' | 'prefix' | 'source_prefix'>;

/** Deletes the rows of at most `limit` files of a bucket, and returns them. */
export async function takeFiles(tx: Tx, bucketId: string, limit: number): Promise<DeletedFile[]> {
  const ids = tx
    .selectFrom('files')
    .select('id')
    .where('bucket_id', '=', bucketId)
    .orderBy('file_type')
    .orderBy('access')
    .orderBy('id')
    .limit(limit);
  return tx
    .deleteFrom('files')
    .where('id', 'in', ids)
    .returning(['id', 'status', 'prefix', 'source_prefix'])
    .execute();
}

/** Returns the newest files of all buckets, with the keys of their objects. */
export async function newestFiles(
  db: Executor,
  limit: number,
): Promise<Pick<FileRow, 'prefix' | 'entry' | 'status'>[]> {
  return db
    .selectFrom('files')
    .select(['prefix', 'entry', 'status'])
    .orderBy('id', 'desc')
    .limit(limit)
    .$call(inlineRead)
    .execute();
}
