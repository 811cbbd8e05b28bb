import type { Region } from '../../contract/regions.ts';
import { ACCESSES, FILE_TYPES } from '../../contract/schemas/files.ts';
import type { Access, FileType } from '../../contract/wire.ts';
import type { Statement } from '../../platform/db/batch.ts';
import { inlineRead } from '../../platform/db/inline-read.ts';
import { type ListRange, paged, rowsOfPage } from '../../platform/db/listing.ts';
import type { Executor, Tx } from '../../platform/db/port.ts';
import { prepared } from '../../platform/db/prepared.ts';
import { blobDeletion, blobInsertion, takeBlobs } from './blobs-store.ts';
import { fileInsertion } from './paths/insertion-store.ts';
import type { BlobRow, FileRow, MediaFileRow, MediaRow } from './tables.ts';

/** A file with its media and the region of its bucket. */
export type FileWithRegion = MediaFileRow & { region: Region | null };

const MEDIA_COLUMNS = [
  ...(['media.status', 'media.error', 'media.warning', 'media.prefix', 'media.entry'] as const),
  ...(['media.width', 'media.height', 'media.duration', 'media.playable'] as const),
  ...(['media.thumb_hash', 'media.poster', 'media.previews', 'media.webp_skipped'] as const),
  ...(['media.is_turned', 'media.renditions', 'media.retry_until'] as const),
] as const;

const mediaFiles = (db: Executor) =>
  db
    .selectFrom('files')
    .innerJoin('media', 'media.file_id', 'files.id')
    .selectAll('files')
    .select(MEDIA_COLUMNS);

export type FileFilters = ListRange & { access?: Access | ''; file_type?: FileType | '' };

/**
 * Returns the statements that insert the rows of a new file. See `fileInsertion` about its path.
 * @param blob its bytes; null where they aren't kept
 */
export function fileInsertions(
  db: Executor,
  row: MediaFileRow,
  blob: BlobRow | null = null,
): Statement[] {
  const { id, bucket_id, name, path, content_type, size, file_type, access, ...others } = row;
  const { blob_id, sha256, stored_bytes, superseded_at, created_at, ...media } = others;
  const file: FileRow = {
    ...{ id, bucket_id, name, path, content_type, size, file_type, access },
    ...{ blob_id, sha256, stored_bytes, superseded_at, created_at },
  };
  return [
    ...(blob ? [blobInsertion(db, blob)] : []),
    fileInsertion(db, file),
    { query: insertMedia.query(db, { file_id: id, ...media }) },
  ];
}

const insertMedia = prepared((tx, media: MediaRow) => tx.insertInto('media').values(media));

/**
 * Returns a page of a bucket's files, and one more row where another page follows. The newest files of
 * each type and access are read apart and merged: so one index, by type and access, serves every filter,
 * where an index for each filter would make every upload write three more.
 */
export async function listFiles(
  db: Executor,
  bucketId: string,
  filters: FileFilters,
): Promise<MediaFileRow[]> {
  const types = filters.file_type ? [filters.file_type] : FILE_TYPES;
  const accesses = filters.access ? [filters.access] : ACCESSES;
  const newest = types.flatMap((type) =>
    accesses.map((access) => {
      const files = mediaFiles(db)
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
  mediaFiles(db)
    .leftJoin('buckets', 'buckets.id', 'files.bucket_id')
    .select('buckets.region')
    .where('files.id', '=', id)
    .$call(inlineRead),
);

export type MediaColumns = Pick<
  MediaFileRow,
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
    MediaFileRow,
    'webp_skipped' | 'warning' | 'is_turned' | 'stored_bytes' | 'blob_id' | 'renditions'
  >;

/**
 * Returns the statements that publish a file, whose blob they delete where `columns` has none. Their guard fails
 * where no such file is being processed.
 */
export function publication(
  db: Executor,
  id: string,
  columns: Published,
  otherwise: () => unknown,
): Statement[] {
  const { sha256, stored_bytes, blob_id, ...media } = columns;
  return [
    { query: publishMedia.query(db, { id, ...media, ...PUBLISHED }), expect: 1, otherwise },
    { query: updateBytes.query(db, { id, sha256, stored_bytes, blob_id }) },
    ...(blob_id === null ? [blobDeletion(db, id)] : []),
  ];
}

/** The columns that say that a file is published. */
export const PUBLISHED = { status: 'success', error: null, playable: 1 } as const;

type PublishedFile = Pick<FileRow, 'id' | 'sha256' | 'stored_bytes' | 'blob_id'>;
type PublishedMedia = Omit<Published, keyof PublishedFile> & typeof PUBLISHED & { id: string };

const publishMedia = prepared((db, { id, ...columns }: PublishedMedia) =>
  db.updateTable('media').set(columns).where('file_id', '=', id).where('status', '=', 'processing'),
);

const updateBytes = prepared((db, { id, ...columns }: PublishedFile) =>
  db.updateTable('files').set(columns).where('id', '=', id),
);

/**
 * Publishes what is playable of a file while it is still being processed. Returns false where it is
 * not.
 */
export async function publishPlayable(
  tx: Tx,
  id: string,
  { sha256, ...columns }: MediaColumns,
): Promise<boolean> {
  const result = await tx
    .updateTable('media')
    .set({ ...columns, playable: 1 })
    .where('file_id', '=', id)
    .where('status', '=', 'processing')
    .executeTakeFirstOrThrow();
  if (result.numUpdatedRows !== 1n) return false;
  await tx.updateTable('files').set({ sha256 }).where('id', '=', id).execute();
  return true;
}

/**
 * Returns the statements that withdraw what a failed attempt has published early, because its objects will be
 * deleted. The hash of the upload stays if it is known, so that a broken file can be compared too.
 */
export function withdrawal(db: Executor, id: string, sha256: string | null = null): Statement[] {
  const media = db
    .updateTable('media')
    .set({ playable: 0, prefix: null, entry: null, poster: null, previews: null })
    .where('file_id', '=', id)
    .where('status', '=', 'processing');
  const file = db.updateTable('files').set({ sha256 }).where('id', '=', id);
  return [{ query: media.compile() }, ...(sha256 ? [{ query: file.compile() }] : [])];
}

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
): Promise<MediaFileRow | undefined> {
  const before = await processingFile(tx, id);
  if (!before) return undefined;
  await tx
    .updateTable('media')
    .set({
      ...{ status: 'error', error: reason, retry_until: retryUntil },
      ...{ playable: 0, prefix: null, entry: null },
    })
    .where('file_id', '=', id)
    .execute();
  if (retryUntil === null) await clearUpload(tx, id);
  return before;
}

/** Notes that the upload of a file which is not processed is deleted. */
export async function clearUpload(tx: Tx, id: string): Promise<void> {
  const none = { stored_bytes: 0, blob_id: null };
  await tx.updateTable('files').set(none).where('id', '=', id).execute();
  await takeBlobs(tx, [id]);
}

const processingFile = async (tx: Tx, id: string): Promise<MediaFileRow | undefined> =>
  (await findProcessing(tx, { id })).rows[0];

const findProcessing = prepared((tx, { id }: { id: string }) =>
  mediaFiles(tx).where('files.id', '=', id).where('media.status', '=', 'processing'),
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
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('media')
          .select('file_id')
          .where('file_id', '=', id)
          .where('status', '=', 'success'),
      ),
    )
    .returning('created_at')
    .executeTakeFirst();
  return row?.created_at;
}

/**
 * Deletes the rows of a bucket's file but for its blob, and returns them; undefined where there is none.
 */
export async function takeFile(
  tx: Tx,
  bucketId: string,
  id: string,
): Promise<MediaFileRow | undefined> {
  const media = await tx
    .deleteFrom('media')
    .where('file_id', '=', id)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('files').select('id').where('id', '=', id).where('bucket_id', '=', bucketId),
      ),
    )
    .returningAll()
    .executeTakeFirst();
  if (!media) return undefined;
  const { file_id: _, ...columns } = media;
  const file = await tx
    .deleteFrom('files')
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
  return { ...file, ...columns };
}

export type DeletedFile = Pick<MediaFileRow, 'id' | 'status' | 'prefix' | 'blob_id'>;

/** Deletes the rows of at most `limit` files of a bucket but for their blobs, and returns them. */
export async function takeFiles(tx: Tx, bucketId: string, limit: number): Promise<DeletedFile[]> {
  const ids = tx
    .selectFrom('files')
    .select('id')
    .where('bucket_id', '=', bucketId)
    .orderBy('file_type')
    .orderBy('access')
    .orderBy('id')
    .limit(limit);
  const media = await tx
    .deleteFrom('media')
    .where('file_id', 'in', ids)
    .returning(['file_id as id', 'status', 'prefix'])
    .execute();
  if (media.length === 0) return [];
  const mediaById = new Map(media.map((row) => [row.id, row]));
  const files = await tx
    .deleteFrom('files')
    .where('id', 'in', [...mediaById.keys()])
    .returning(['id', 'blob_id'])
    .execute();
  return files.flatMap((file) => {
    const row = mediaById.get(file.id);
    return row ? [{ ...row, ...file }] : [];
  });
}

/** Returns the newest files of all buckets, with the keys of their objects. */
export async function newestFiles(
  db: Executor,
  limit: number,
): Promise<Pick<MediaRow, 'prefix' | 'entry' | 'status'>[]> {
  return db
    .selectFrom('media')
    .select(['prefix', 'entry', 'status'])
    .orderBy('file_id', 'desc')
    .limit(limit)
    .$call(inlineRead)
    .execute();
}
