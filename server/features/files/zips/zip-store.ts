import type { FileStatus, FileType } from '../../../contract/wire.ts';
import { deleteRows, olderThan } from '../../../platform/db/delete-rows.ts';
import type { Executor, Tx } from '../../../platform/db/port.ts';
import { MADE_COLUMNS, OF_FILE } from '../../media/service.ts';
import { behindFolder } from '../paths/bounds.ts';
import type { ZipRow } from '../tables.ts';

/** What decides whether and how a file is in a ZIP. */
export type ZipFileRow = {
  id: string;
  path: string;
  file_type: FileType;
  expires_at: number | null;
  created_at: number;
  /** Null for a file that is not processed. */
  status: FileStatus | null;
  /** The uploaded bytes: their object, or the prefix of their parts; null where they aren't kept. */
  object_key: string | null;
  blob_prefix: string | null;
  blob_size: number | null;
  /** What was made of an image; null for others. */
  prefix: string | null;
  entry: string | null;
  renditions: string | null;
};

const zipFiles = (db: Executor) =>
  db
    .selectFrom('files')
    .leftJoin(...OF_FILE)
    .leftJoin('blobs', 'blobs.id', 'files.blob_id')
    .select(['files.id', 'files.path', 'files.expires_at', 'files.created_at'])
    .select('files.file_type')
    .$narrowType<{ file_type: FileType }>()
    .select(['blobs.object_key', 'blobs.prefix as blob_prefix', 'blobs.size as blob_size'])
    .select(MADE_COLUMNS)
    .where('files.superseded_at', 'is', null)
    .where('files.file_type', '!=', 'folder');

/**
 * Returns a page of the files of a folder and of all folders in it, in the byte order of their paths.
 * @param range.prefix the folder, which ends in '/'; '' for the top
 * @param range.after the path behind which the page begins; '' for the first one
 */
export async function zipFilesIn(
  db: Executor,
  bucketId: string,
  { prefix, after, limit }: { prefix: string; after: string; limit: number },
): Promise<ZipFileRow[]> {
  return zipFiles(db)
    .where('files.bucket_id', '=', bucketId)
    .where('files.path', '>', after === '' ? prefix : after)
    .$if(prefix !== '', (files) => files.where('files.path', '<', behindFolder(prefix)))
    .orderBy('files.path')
    .limit(limit)
    .execute();
}

/** Returns the files of a bucket with some ids, in the byte order of their paths. */
export async function zipFilesByIds(
  db: Executor,
  bucketId: string,
  ids: string[],
): Promise<ZipFileRow[]> {
  return zipFiles(db)
    .where('files.id', 'in', ids)
    .where('files.bucket_id', '=', bucketId)
    .orderBy('files.path')
    .execute();
}

/** Inserts the contents of a link. */
export async function insertZip(tx: Tx, zip: ZipRow): Promise<void> {
  await tx.insertInto('zips').values(zip).execute();
}

/** Returns the contents of a link that is valid; undefined where there is none. */
export async function zipById(db: Executor, id: string, now: number): Promise<ZipRow | undefined> {
  return db
    .selectFrom('zips')
    .selectAll()
    .where('id', '=', id)
    .where('expires_at', '>', now)
    .executeTakeFirst();
}

/** Whether an account has at least `limit` links that are valid. */
export async function hasZips(
  db: Executor,
  userId: string,
  { now, limit }: { now: number; limit: number },
): Promise<boolean> {
  const rows = await db
    .selectFrom('zips')
    .select('id')
    .where('user_id', '=', userId)
    .where('expires_at', '>', now)
    .offset(limit - 1)
    .limit(1)
    .execute();
  return rows.length > 0;
}

/** Deletes the links that have expired. */
export const deleteExpiredZips = (db: Executor, now: number, signal: AbortSignal) =>
  deleteRows(db, 'zips', olderThan('expires_at', now), signal);
