import { sql } from 'kysely';
import type { FileStatus, MediaType } from '../../contract/wire.ts';
import type { Statement } from '../../platform/db/batch.ts';
import { inlineRead } from '../../platform/db/inline-read.ts';
import type { Executor, Tx } from '../../platform/db/port.ts';
import { prepareStatement } from '../../platform/db/prepare-statement.ts';
import {
  blobDeletion,
  type FileRow,
  fileById,
  type MediaFileRow,
  takeBlobs,
} from '../files/service.ts';
import { mediaInsertion, OF_FILE, STATUS } from '../media/service.ts';

/** Returns the status of a current file; undefined where there is none. */
export async function statusOf(db: Executor, id: string): Promise<FileStatus | undefined> {
  return (await findStatus(db, { id })).rows[0]?.status;
}

const findStatus = prepareStatement((db, { id }: { id: string }) =>
  db
    .selectFrom('files')
    .leftJoin(...OF_FILE)
    .select(STATUS)
    .where('files.id', '=', id)
    .where('files.superseded_at', 'is', null)
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

/**
 * Returns the statements that add what was made of a current file which is delivered as it was uploaded. Their guard
 * fails where it is gone, replaced, or has media already.
 * @param added the bytes of what was made
 */
export function addition(
  db: Executor,
  { id, file_type }: { id: string; file_type: MediaType },
  columns: Published,
  { added, otherwise }: { added: number; otherwise: () => unknown },
): Statement[] {
  const { sha256, stored_bytes: _, blob_id: __, ...media } = columns;
  const row = { file_id: id, ...media, ...PUBLISHED, retry_until: null };
  return [
    { query: addMedia.query(db, { id, file_type, sha256, added }), expect: 1, otherwise },
    mediaInsertion(db, row),
  ];
}

const addMedia = prepareStatement(
  (
    db,
    {
      id,
      file_type,
      sha256,
      added,
    }: { id: string; file_type: MediaType; sha256: string | null; added: number },
  ) =>
    db
      .updateTable('files')
      .set((row) => ({
        file_type,
        sha256: sql<string | null>`coalesce(cast(${sha256} as text), ${row.ref('sha256')})`,
        stored_bytes: sql<number>`${row.ref('stored_bytes')} + cast(${added} as bigint)`,
      }))
      .where('id', '=', id)
      .where('superseded_at', 'is', null)
      .where('file_type', '=', 'file'),
);

/** The columns that say that a file is published. */
export const PUBLISHED = { status: 'success', error: null, playable: 1 } as const;

type PublishedFile = Pick<FileRow, 'id' | 'sha256' | 'stored_bytes' | 'blob_id'>;
type PublishedMedia = Omit<Published, keyof PublishedFile> & typeof PUBLISHED & { id: string };

const publishMedia = prepareStatement((db, { id, ...columns }: PublishedMedia) =>
  db.updateTable('media').set(columns).where('file_id', '=', id).where('status', '=', 'processing'),
);

const updateBytes = prepareStatement((db, { id, ...columns }: PublishedFile) =>
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
  const before = await fileById(tx, id);
  if (before?.status !== 'processing') return undefined;
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
