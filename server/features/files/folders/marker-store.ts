import { sql } from 'kysely';
import type { Executor, Tx } from '../../../platform/db/port.ts';
import { behindFolder } from '../paths/bounds.ts';
import type { FileRow } from '../tables.ts';

/** Whether a bucket has more folders that were created than `limit`. */
export async function hasMoreMarkers(tx: Tx, bucketId: string, limit: number): Promise<boolean> {
  const rows = await tx
    .selectFrom('files')
    .select('id')
    .where('bucket_id', '=', bucketId)
    .where('superseded_at', 'is', null)
    .where('file_type', '=', 'folder')
    .where('access', '=', 'private')
    .offset(limit)
    .limit(1)
    .execute();
  return rows.length > 0;
}

/** Whether a file or a folder is below a folder, whose path ends in '/'. */
export async function hasEntries(db: Executor, bucketId: string, path: string): Promise<boolean> {
  const { rows } = await sql`select 1 from files
    where bucket_id = ${bucketId} and superseded_at is null
      and path > ${path} and path < ${behindFolder(path)} limit 1`.execute(db);
  return rows.length > 0;
}

type Marker = Pick<FileRow, 'id' | 'bucket_id' | 'path' | 'created_at'>;

/** Inserts the row of an empty folder: of a file without bytes, as the consoles of S3 write it. */
export async function insertMarker(tx: Tx, marker: Marker): Promise<void> {
  const row: FileRow = {
    ...marker,
    ...{ name: marker.path, content_type: 'application/x-directory', size: 0, stored_bytes: 0 },
    ...{ file_type: 'folder', access: 'private', blob_id: null, sha256: null },
    ...{ superseded_at: null, removal: null, purge_at: null, expires_at: null, metadata: null },
    ...{ headers: null, tags: null, version_id: null },
  };
  await tx.insertInto('files').values(row).execute();
}

/** Deletes the row of an empty folder. */
export async function deleteMarker(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('files').where('id', '=', id).where('file_type', '=', 'folder').execute();
}
