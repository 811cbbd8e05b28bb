import { sql } from 'kysely';
import type { Region } from '../../contract/regions.ts';
import type { FileType } from '../../contract/wire.ts';
import type { Statement } from '../../platform/db/batch.ts';
import { inlineRead } from '../../platform/db/inline-read.ts';
import type { Executor, Tx } from '../../platform/db/port.ts';
import { isAmong, prepareStatement } from '../../platform/db/prepare-statement.ts';
import type { Versioning } from '../buckets/service.ts';
import {
  IS_PUBLISHED,
  MAY_BE_PUBLISHED,
  mediaColumns,
  mediaInsertion,
  NO_MEDIA,
  OF_FILE,
  takeAllMedia,
  takeMedia,
} from '../media/service.ts';
import { blobInsertion } from './blobs-store.ts';
import { fileInsertion, type NewFileRow } from './paths/insertion-store.ts';
import type { BlobRow, FileRow, MediaFileRow } from './tables.ts';

/** A current file with its media. `replaces_path` is where it will be once it is processed; null where it stays. */
export type CurrentFile = MediaFileRow & { replaces_path: string | null };

/** The same with the region of its bucket. */
export type FileWithRegion = CurrentFile & { region: Region | null };

/** What is delivered of a file that is not processed is the object of its blob. */
const MEDIA_COLUMNS = mediaColumns({
  width: sql.ref('blobs.width'),
  height: sql.ref('blobs.height'),
  duration: sql.ref('blobs.duration'),
  thumb_hash: sql.ref('blobs.thumb_hash'),
  prefix: sql.ref('blobs.prefix'),
  entry: sql`substr(blobs.object_key, length(blobs.prefix) + 1)`,
});

const mediaFiles = (db: Executor) =>
  allMediaFiles(db)
    .select(replacesPath.as('replaces_path'))
    .where('files.superseded_at', 'is', null);

/**
 * The path of the file that a file replaces once it is processed, also by a retry. Where another file has come to the
 * path since, it isn't replaced. Files that are published, which are most, have no such path and are not looked for.
 */
const replacesPath = sql<string | null>`
  case when ${MAY_BE_PUBLISHED} then (
    select waiting.path from replacements as waiting
    where waiting.file_id = files.id and waiting.replaces = coalesce((
      select occupant.id from files as occupant
      where occupant.bucket_id = waiting.bucket_id and occupant.path = waiting.path
        and occupant.superseded_at is null
    ), waiting.replaces)
  ) end`;

/** The same, and those that are kept although they were replaced or deleted. */
const allMediaFiles = (db: Executor) =>
  db
    .selectFrom('files')
    .leftJoin(...OF_FILE)
    .leftJoin('blobs', 'blobs.id', 'files.blob_id')
    .selectAll('files')
    .select(MEDIA_COLUMNS)
    .where('files.file_type', '!=', 'folder')
    .$narrowType<{ file_type: FileType }>();

/** Returns the files at some paths of a bucket, in no order. */
export async function filesAt(
  db: Executor,
  bucketId: string,
  paths: string[],
): Promise<CurrentFile[]> {
  if (paths.length === 0) return [];
  return (await readAt(db, { bucketId, paths: JSON.stringify(paths) })).rows;
}

const readAt = prepareStatement((db, { bucketId, paths }: { bucketId: string; paths: string }) =>
  mediaFiles(db)
    .where('files.bucket_id', '=', bucketId)
    .where(isAmong(db, 'files.path', paths)),
);

/** Returns the files with some ids, in no order. */
export async function filesByIds(db: Executor, ids: string[]): Promise<CurrentFile[]> {
  if (ids.length === 0) return [];
  return (await readByIds(db, { ids: JSON.stringify(ids) })).rows;
}

const readByIds = prepareStatement((db, { ids }: { ids: string }) =>
  mediaFiles(db).where(isAmong(db, 'files.id', ids)),
);

/**
 * Returns the statements that insert the rows of a new file. See `fileInsertion` about its path.
 * @param options.blob its bytes; null where they aren't kept
 * @param options.isProcessed whether it has media
 * @param options.versioning see `fileInsertion`
 */
export function fileInsertions(
  db: Executor,
  row: MediaFileRow,
  options: { blob?: BlobRow | null; isProcessed?: boolean; versioning?: Versioning } = {},
): Statement[] {
  const { blob = null, isProcessed = true, versioning = null } = options;
  const { id, bucket_id, name, path, content_type, size, file_type, access, ...others } = row;
  const { blob_id, sha256, stored_bytes, superseded_at, ...rest } = others;
  const { expires_at, metadata, headers, tags, version_id, created_at, ...media } = rest;
  const file: NewFileRow = {
    ...{ id, bucket_id, name, path, content_type, size, file_type, access },
    ...{ blob_id, sha256, stored_bytes, superseded_at, expires_at, metadata, headers },
    ...{ tags, version_id, created_at },
  };
  return [
    ...(blob ? [blobInsertion(db, blob)] : []),
    ...fileInsertion(db, file, { versioning }),
    ...(isProcessed ? [mediaInsertion(db, { file_id: id, ...media })] : []),
  ];
}

/** Returns a current file by id, in whichever bucket; undefined where there is none. */
export async function fileById(db: Executor, id: string): Promise<FileWithRegion | undefined> {
  return (await findById(db, { id })).rows[0];
}

const findById = prepareStatement((db, { id }: { id: string }) =>
  filesWithRegion(db).where('files.id', '=', id).$call(inlineRead),
);

/** Returns the current file at a path of a bucket; undefined where there is none. */
export async function fileAtPath(
  db: Executor,
  bucketId: string,
  path: string,
): Promise<FileWithRegion | undefined> {
  return (await findAtPath(db, { bucketId, path })).rows[0];
}

const findAtPath = prepareStatement((db, { bucketId, path }: { bucketId: string; path: string }) =>
  filesWithRegion(db)
    .where('files.bucket_id', '=', bucketId)
    .where('files.path', '=', path)
    .$call(inlineRead),
);

const filesWithRegion = (db: Executor) =>
  mediaFiles(db).leftJoin('buckets', 'buckets.id', 'files.bucket_id').select('buckets.region');

/**
 * Adds to the stored bytes of a file that is not being processed, and returns when it was created and superseded;
 * undefined where there is none. A file that is not current only loses bytes.
 */
export async function addStoredBytes(
  tx: Tx,
  id: string,
  bytes: number,
): Promise<Pick<FileRow, 'created_at' | 'superseded_at'> | undefined> {
  return tx
    .updateTable('files')
    .set((row) => ({ stored_bytes: row('stored_bytes', '+', bytes) }))
    .where('id', '=', id)
    .$if(bytes > 0, (files) => files.where('superseded_at', 'is', null))
    .where(IS_PUBLISHED)
    .returning(['created_at', 'superseded_at'])
    .executeTakeFirst();
}

/**
 * Deletes the rows of a bucket's file but for its blob, and returns them; undefined where there is none.
 */
export async function takeFile(
  tx: Tx,
  bucketId: string,
  id: string,
): Promise<MediaFileRow | undefined> {
  const before = (await findById(tx, { id })).rows[0];
  if (before?.bucket_id !== bucketId) return undefined;
  const { region: _, replaces_path: __, ...row } = before;
  return deleteRows(tx, row);
}

/** Deletes the rows of a superseded file but for its blob, and returns them; undefined where there is none. */
export async function takeSuperseded(tx: Tx, id: string): Promise<MediaFileRow | undefined> {
  const row = await allMediaFiles(tx)
    .where('files.id', '=', id)
    .where('files.superseded_at', 'is not', null)
    .executeTakeFirst();
  return row && deleteRows(tx, row);
}

/** Deletes the rows of a file but for its blob, and returns them as they were; undefined where they are gone. */
async function deleteRows(tx: Tx, row: MediaFileRow): Promise<MediaFileRow | undefined> {
  const { id } = row;
  const media = await takeMedia(tx, id);
  const file = await tx.deleteFrom('files').where('id', '=', id).returningAll().executeTakeFirst();
  if (!file) return undefined;
  return { ...row, ...file, ...media, file_type: row.file_type };
}

export type DeletedFile = Pick<MediaFileRow, 'id' | 'status' | 'prefix' | 'blob_id'> &
  Pick<FileRow, 'file_type' | 'content_type' | 'stored_bytes' | 'superseded_at'>;

/**
 * Deletes the rows of at most `limit` files of a bucket but for their blobs, and returns them: first the current
 * ones, which its lists show.
 */
export async function takeFiles(tx: Tx, bucketId: string, limit: number): Promise<DeletedFile[]> {
  const files = tx.selectFrom('files').select('id').where('bucket_id', '=', bucketId).limit(limit);
  const current = await files
    .where('superseded_at', 'is', null)
    .orderBy('file_type')
    .orderBy('access')
    .orderBy('id')
    .execute();
  const others = await files
    .where('superseded_at', 'is not', null)
    .orderBy('id')
    .limit(limit - current.length)
    .execute();
  const rows = [...current, ...others];
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const media = await takeAllMedia(tx, ids);
  const deleted = await tx
    .deleteFrom('files')
    .where('id', 'in', ids)
    .returning(['id', 'blob_id', 'file_type', 'content_type', 'stored_bytes', 'superseded_at'])
    .execute();
  return deleted.map((file) => ({ ...file, ...(media.get(file.id) ?? NO_MEDIA) }));
}

/** Returns the newest files of all buckets, with the keys of their objects. */
export async function newestFiles(db: Executor, limit: number): Promise<MediaFileRow[]> {
  return allMediaFiles(db).orderBy('files.id', 'desc').limit(limit).$call(inlineRead).execute();
}
