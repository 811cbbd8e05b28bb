import type { Access } from '../../contract/wire.ts';
import type { AppError } from '../../errors.ts';
import type { Actor } from '../../platform/audit/record.ts';
import { runStatements, type Statement } from '../../platform/db/batch.ts';
import type { Database, Tx } from '../../platform/db/port.ts';
import { type Bucket, type Buckets, versioningOf } from '../buckets/service.ts';
import { UNPROCESSED, type UploadedMedia } from '../media/service.ts';
import { newBlobRow, newFileRow } from './new-rows.ts';
import { uploadedContentType } from './paths/content-types.ts';
import { lockPath } from './paths/insertion-store.ts';
import {
  type Destination,
  fileToReplace,
  readsPath,
  requireFewWaiting,
} from './replacing/destination.ts';
import { insertReplacement } from './replacing/replacements-store.ts';
import { type FileWithRegion, fileById, fileInsertions } from './store.ts';
import type { MediaFileRow } from './tables.ts';
import type { VersionHook } from './version-hook.ts';

/**
 * An upload whose bytes are stored below `prefix`. Their deletion is pending until the upload is a
 * file.
 */
export type CompleteUpload = Destination & {
  /** The id that the file gets. */
  fileId: string;
  bucket: Pick<Bucket, 'id' | 'user_id' | 'keep_originals' | 'keep_versions' | 'was_versioned'>;
  name: string;
  /** Who replaces the file at the path. */
  actor: Actor;
  size: number;
  access: Access;
  prefix: string;
  content: UploadedMedia;
  /** Returns what to throw where the deletion has started. */
  expired: () => AppError;
};

type Deps = {
  database: Database;
  buckets: Pick<Buckets, 'contents'>;
  versions: VersionHook;
};

/**
 * Returns the row of an upload's file, the statements that count it in its bucket and start its processing, and those
 * that insert it behind them. They throw conflict, banned, and what the upload says where the deletion of its objects
 * has started.
 */
export function fileFromUpload(
  { database, buckets, versions }: Deps,
  upload: CompleteUpload,
): { row: MediaFileRow; counting: Statement[]; insertions: Statement[] } {
  const { fileId, bucket, name, size, content: uploaded } = upload;
  const { db } = database;
  const row = newFileRow(upload, {
    ...{ ...UNPROCESSED, file_type: uploaded.type },
    content_type: uploadedContentType(name, uploaded.type),
  });
  const content = { bytes: size, fileId, createdAt: row.created_at };
  return {
    row,
    counting: [...versions.onVersion(upload), ...buckets.contents.uploadAdditions(bucket, content)],
    insertions: fileInsertions(db, row, {
      blob: newBlobRow(upload, { object_key: uploaded.type === 'image' ? uploaded.key : null }),
      versioning: versioningOf(bucket),
    }),
  };
}

/**
 * Creates the file of an upload, and returns its row. One that replaces another file gets a number beside that until
 * it is published. Throws what the statements of `fileFromUpload` do, path-taken, other-version and too-many.
 * @param statements what else is written with it, before it
 */
export async function createFromUpload(
  deps: Deps,
  tx: Tx,
  upload: CompleteUpload,
  statements: Statement[],
): Promise<FileWithRegion> {
  const { fileId, bucket, path, onConflict, actor } = upload;
  const place = { bucket_id: bucket.id, path };
  // Two that share the bucket, as uploads do, would wait for each other if both then excluded the others.
  if (onConflict === 'replace') await deps.buckets.contents.lock(tx, bucket.id);
  const { counting, insertions } = fileFromUpload(deps, upload);
  await runStatements(tx, [...statements, ...counting]);
  if (readsPath(upload)) await lockPath(tx, place);
  const replaces = await fileToReplace(tx, bucket.id, upload);
  if (replaces) await requireFewWaiting(tx, place);
  await runStatements(tx, insertions);
  const by = { file_id: fileId, replaces: replaces ?? '', actor: JSON.stringify(actor) };
  if (replaces) await insertReplacement(tx, { ...place, ...by });
  const row = await fileById(tx, fileId);
  if (!row) throw new Error('A file that was inserted is not there.');
  return row;
}
