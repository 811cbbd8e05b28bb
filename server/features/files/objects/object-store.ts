import { sql } from 'kysely';
import type { FileStatus } from '../../../contract/wire.ts';
import { inlineRead } from '../../../platform/db/inline-read.ts';
import type { Executor } from '../../../platform/db/port.ts';
import { prepareStatement } from '../../../platform/db/prepare-statement.ts';
import type { BlobRow, FileRow } from '../tables.ts';

/** A current file or a folder that was created, with what S3 clients see of it. */
export type ObjectRow = Pick<
  FileRow,
  | 'id'
  | 'path'
  | 'size'
  | 'file_type'
  | 'content_type'
  | 'access'
  | 'expires_at'
  | 'metadata'
  | 'headers'
  | 'created_at'
> & {
  /** The object that has all uploaded bytes; null where they aren't kept as one. */
  object_key: BlobRow['object_key'];
  blob_size: number | null;
  md5: string | null;
  etag: string | null;
  checksum: string | null;
  /** Null for a file that is not processed. */
  status: FileStatus | null;
  prefix: string | null;
  entry: string | null;
  renditions: string | null;
};

export const objectRows = (db: Executor) =>
  db
    .selectFrom('files')
    .leftJoin('media', 'media.file_id', 'files.id')
    .leftJoin('blobs', 'blobs.id', 'files.blob_id')
    .select([
      ...([
        'files.id',
        'files.path',
        'files.size',
        'files.file_type',
        'files.content_type',
      ] as const),
      ...(['files.access', 'files.expires_at', 'files.metadata', 'files.headers'] as const),
      ...([
        'files.created_at',
        'blobs.object_key',
        'blobs.size as blob_size',
        'blobs.md5',
      ] as const),
      ...(['blobs.etag', 'blobs.checksum', 'media.status', 'media.prefix'] as const),
      ...(['media.entry', 'media.renditions'] as const),
    ])
    .where('files.superseded_at', 'is', null);

/** Returns what is at a path of a bucket; undefined where nothing is. */
export async function objectAt(
  db: Executor,
  bucketId: string,
  path: string,
): Promise<ObjectRow | undefined> {
  return (await findAt(db, { bucketId, path })).rows[0];
}

const findAt = prepareStatement((db, { bucketId, path }: { bucketId: string; path: string }) =>
  objectRows(db)
    .where('files.bucket_id', '=', bucketId)
    .where('files.path', '=', path)
    .$call(inlineRead),
);

/** Whether a bucket has any row of a file: also of earlier versions, of the trash, and of folders. */
export async function hasAnyFile(db: Executor, bucketId: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from files where bucket_id = ${bucketId} and superseded_at is null
    union all select 1 from files where bucket_id = ${bucketId} and superseded_at is not null
    limit 1`.execute(db);
  return rows.length > 0;
}
