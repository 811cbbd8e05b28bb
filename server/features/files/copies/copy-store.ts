import type { Statement } from '../../../platform/db/batch.ts';
import type { Executor } from '../../../platform/db/port.ts';
import { prepareStatement } from '../../../platform/db/prepare-statement.ts';
import { type MediaRow, mediaOf } from '../../media/service.ts';
import type { BlobRow, FileRow } from '../tables.ts';

/** A current file with all that is stored of it. */
export type CopySource = {
  file: FileRow;
  /** What was made of it, or found out about it; null for what is delivered as it was uploaded. */
  media: MediaRow | null;
  /** Its uploaded bytes; null where they aren't kept. */
  blob: BlobRow | null;
};

/** Returns a current file of a bucket; undefined where there is none. */
export async function copySource(
  db: Executor,
  bucketId: string,
  id: string,
): Promise<CopySource | undefined> {
  const file = await db
    .selectFrom('files')
    .selectAll()
    .where('id', '=', id)
    .where('bucket_id', '=', bucketId)
    .where('superseded_at', 'is', null)
    .where('file_type', '!=', 'folder')
    .executeTakeFirst();
  if (!file) return undefined;
  const media = await mediaOf(db, id);
  const blob =
    file.blob_id === null
      ? undefined
      : await db.selectFrom('blobs').selectAll().where('id', '=', file.blob_id).executeTakeFirst();
  return { file, media: media ?? null, blob: blob ?? null };
}

/**
 * Returns the statement by which another version shares a blob.
 * @param otherwise returns what to throw where the last version that had it is gone
 */
export const blobSharing = (db: Executor, id: string, otherwise: () => unknown): Statement => ({
  query: share.query(db, { id }),
  expect: 1,
  otherwise,
});

const share = prepareStatement((db, { id }: { id: string }) =>
  db
    .updateTable('blobs')
    .set((row) => ({ refs: row('refs', '+', 1) }))
    .where('id', '=', id)
    .where('refs', '>', 0),
);
