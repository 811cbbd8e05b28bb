import type { Executor, Tx } from '../../../platform/db/port.ts';
import type { UploadPartRow, UploadSessionRow } from '../tables.ts';

/** Which unfinished uploads of S3 clients are listed: those behind a path, or behind an upload for the same path. */
export type UploadRange = {
  /** The least path; '' for all. */
  from: string;
  /** What all paths are before; null for no bound. */
  before: string | null;
  after: { path: string; id: string } | null;
  limit: number;
  now: number;
};

/** The object of a part, and its size in bytes. */
export type StoredPart = Pick<UploadPartRow, 'object_key' | 'size'>;

/** Returns the unfinished uploads of S3 clients to a bucket, by their paths and then by their ids. */
export async function listMultipartUploads(
  db: Executor,
  bucketId: string,
  { from, before, after, limit, now }: UploadRange,
): Promise<(UploadSessionRow & { path: string })[]> {
  return db
    .selectFrom('upload_sessions')
    .selectAll()
    .where('bucket_id', '=', bucketId)
    .where('path', 'is not', null)
    .where('path', '>=', from)
    .$if(before !== null, (uploads) => uploads.where('path', '<', before ?? ''))
    .$if(after !== null, (uploads) =>
      uploads.where(({ eb, refTuple, tuple }) =>
        eb(refTuple('path', 'id'), '>', tuple(after?.path ?? '', after?.id ?? '')),
      ),
    )
    .where('file_id', 'is', null)
    .where('expires_at', '>', now)
    .orderBy('path')
    .orderBy('id')
    .limit(limit)
    .$narrowType<{ path: string }>()
    .execute();
}

/**
 * Puts off the end of an unfinished upload, whose row is locked until the transaction ends. Returns false where it is
 * finished or gone.
 */
export async function renewUpload(
  db: Executor,
  id: string,
  { now, expiresAt }: { now: number; expiresAt: number },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('upload_sessions')
    .set({ touched_at: now, expires_at: expiresAt })
    .where('id', '=', id)
    .where('file_id', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}

/** Inserts a part, in place of the one that has its number, which is returned. */
export async function replacePart(tx: Tx, part: UploadPartRow): Promise<StoredPart | undefined> {
  const { upload_id, position, ...columns } = part;
  const earlier = await tx
    .selectFrom('upload_parts')
    .select(['object_key', 'size'])
    .where('upload_id', '=', upload_id)
    .where('position', '=', position)
    .executeTakeFirst();
  await tx
    .insertInto('upload_parts')
    .values(part)
    .onConflict((conflict) => conflict.columns(['upload_id', 'position']).doUpdateSet(columns))
    .execute();
  return earlier;
}

/** Whether parts of an upload are still stored as those objects. */
export async function hasParts(
  db: Executor,
  uploadId: string,
  parts: Pick<UploadPartRow, 'object_key'>[],
): Promise<boolean> {
  const rows = await db
    .selectFrom('upload_parts')
    .select('object_key')
    .where('upload_id', '=', uploadId)
    .execute();
  const stored = new Set(rows.map(({ object_key }) => object_key));
  return parts.every(({ object_key }) => stored.has(object_key));
}
