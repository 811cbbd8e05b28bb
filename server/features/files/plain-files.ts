import type { Access, MediaType } from '../../contract/wire.ts';
import type { AppError } from '../../errors.ts';
import type { Actor } from '../../platform/audit/record.ts';
import type { Clock } from '../../platform/clock.ts';
import { runStatements, type Statement } from '../../platform/db/batch.ts';
import type { Database, Executor, Tx } from '../../platform/db/port.ts';
import { cancellation } from '../../platform/storage/pending-deletes-store.ts';
import { type Bucket, type Buckets, hasWebhook, versioningOf } from '../buckets/service.ts';
import { NO_MEDIA } from '../media/service.ts';
import type { FileAnnouncements } from './announce-change.ts';
import type { FileDeletion } from './file-deletion.ts';
import { newBlobRow, newFileRow } from './new-rows.ts';
import { fileAt, insertedPath, lockFileAt, lockPath, unusedPath } from './paths/insertion-store.ts';
import {
  type Destination,
  fileToReplace,
  hasPreconditions,
  readsPath,
} from './replacing/destination.ts';
import type { Replacements } from './replacing/replacements.ts';
import { type FileWithRegion, fileInsertions } from './store.ts';
import type { BlobRow, FileRow, MediaFileRow } from './tables.ts';
import type { VersionHook } from './version-hook.ts';

/** A file that is delivered as it was uploaded, in one object below `prefix`, whose deletion is pending. */
export type PlainUpload = Destination & {
  /** The id that the file gets. */
  fileId: string;
  bucket: Bucket;
  name: string;
  /** Who replaces the file at the path. */
  actor: Actor;
  size: number;
  access: Access;
  contentType: string;
  prefix: string;
  key: string;
  /** The hashes of the bytes in hex; null where they are unknown. */
  sha256: string | null;
  md5: string | null;
  /** What an S3 client has stored with the object; see the columns of these names. */
  stored?: Pick<FileRow, 'metadata' | 'headers' | 'tags'>;
  etag?: string | null;
  checksum?: string | null;
  parts?: string | null;
  /** What is made of it beside its bytes once it is a file; missing and null for nothing. */
  processAs?: MediaType | null;
  /** What else must hold when it becomes a file: statements that throw where it doesn't. */
  guards?: Statement[];
  /** Returns what to throw where the deletion has started. */
  expired: () => AppError;
  /** Writes what else changes with the file, in the transaction that creates it. */
  onCreate?: (tx: Tx) => Promise<void>;
};

type Deps = {
  database: Database;
  clock: Clock;
  buckets: Pick<Buckets, 'contents'>;
  deletion: Pick<FileDeletion, 'deleteIn'>;
  replacements: Pick<Replacements, 'endWaitingIn'>;
  announcements: FileAnnouncements;
  versions: Pick<VersionHook, 'onPlain'>;
};

/** Another request has turned the webhook of the bucket on, or has taken the path. */
const NEEDS_READS = new Error('The bucket has a webhook, or something at the path.');

/**
 * Creates a file that is not processed, and returns its row. Throws conflict, path-taken, other-version, banned, and
 * what the upload says where its deletion has started.
 */
export async function createPlainFile(deps: Deps, upload: PlainUpload): Promise<FileWithRegion> {
  const { database } = deps;
  const { db } = database;
  if (hasWebhook(upload.bucket) || (await needsReads(db, upload))) {
    return createInTransaction(deps, upload);
  }
  const { counting, insertions } = creation(deps, db, upload, () => NEEDS_READS);
  // What is counted locks the bucket, which comes before the path.
  const taking = readsPath(upload) ? unusedPath(db, placeOf(upload), () => NEEDS_READS) : [];
  try {
    const results = await database.batch([...counting, ...taking, ...insertions]);
    return storedFile(upload, results);
  } catch (error) {
    if (error !== NEEDS_READS) throw error;
    return createInTransaction(deps, upload);
  }
}

/** Whether a file can't be created without reads in between. One that would replace another one can where none is. */
async function needsReads(db: Executor, upload: PlainUpload): Promise<boolean> {
  if (upload.onCreate !== undefined) return true;
  if (!readsPath(upload)) return false;
  const canReplace = upload.onConflict === 'replace' && !hasPreconditions(upload.preconditions);
  return !canReplace || (await fileAt(db, upload.bucket.id, upload.path)) !== undefined;
}

const placeOf = ({ bucket, path }: Pick<PlainUpload, 'bucket' | 'path'>) => ({
  bucket_id: bucket.id,
  path,
});

/**
 * Returns the statements that count a file in its bucket, and those that insert it.
 * @param ifWebhook returns what they throw where the bucket has a webhook; left out where that is told
 */
function creation(
  { buckets, versions }: Deps,
  db: Executor,
  upload: PlainUpload,
  ifWebhook?: () => unknown,
) {
  const { fileId, bucket, prefix, expired, size } = upload;
  const row = plainFileRow(upload);
  const change = { bytes: size, fileId, createdAt: row.created_at };
  const inserted = {
    blob: plainBlobRow(upload),
    isProcessed: false,
    versioning: versioningOf(bucket),
  };
  return {
    counting: [
      cancellation(db, prefix, expired),
      ...buckets.contents.uploadAdditions(bucket, change, ifWebhook),
    ],
    insertions: [
      ...(upload.guards ?? []),
      ...fileInsertions(db, row, inserted),
      ...versions.onPlain(upload),
    ],
  };
}

/** Does so where something is to be read, or told to a webhook with the path that the file gets. */
async function createInTransaction(deps: Deps, upload: PlainUpload): Promise<FileWithRegion> {
  const { database, announcements } = deps;
  return database.transaction(async (tx) => {
    await upload.onCreate?.(tx);
    const { counting, insertions } = creation(deps, tx, upload);
    // Where nothing happens in between, it goes with what follows.
    if (readsPath(upload)) await runStatements(tx, counting.splice(0));
    await clearPath(deps, tx, upload);
    const stored = storedFile(upload, await runStatements(tx, [...counting, ...insertions]));
    await runStatements(tx, await announcements(tx, 'file.success', stored));
    return stored;
  });
}

/** Returns the row of a file as it is stored, from what the statements with its insertion have returned. */
const storedFile = (upload: PlainUpload, results: unknown[][]): FileWithRegion => ({
  ...plainFileRow(upload),
  path: insertedPath(results),
  replaces_path: null,
  region: upload.bucket.region,
});

/** Makes room for an upload or a copy: replaces the file at its path where it does. */
export async function clearPath(
  { deletion, replacements }: Pick<Deps, 'deletion' | 'replacements'>,
  tx: Tx,
  upload: Destination & Pick<PlainUpload, 'bucket' | 'actor'>,
): Promise<void> {
  const { bucket, path, onConflict, actor } = upload;
  if (!readsPath(upload)) return;
  await lockPath(tx, placeOf(upload));
  await lockFileAt(tx, placeOf(upload));
  const earlier = await fileToReplace(tx, bucket.id, upload);
  if (onConflict !== 'replace') return;
  await replacements.endWaitingIn(tx, bucket, path, actor);
  if (earlier) await deletion.deleteIn(tx, bucket, earlier, actor, { cause: 'replaced' });
}

const plainFileRow = (upload: PlainUpload): MediaFileRow => {
  const { contentType, prefix, key, sha256, stored } = upload;
  return newFileRow(upload, {
    ...{ ...NO_MEDIA, prefix, entry: key.slice(prefix.length) },
    ...{ content_type: contentType, sha256, ...stored },
    file_type: contentType.startsWith('audio/') ? 'audio' : 'file',
  });
};

const plainBlobRow = (upload: PlainUpload): BlobRow => {
  const { key, md5, etag = null, checksum = null, parts = null } = upload;
  return newBlobRow(upload, { object_key: key, md5, etag, checksum, parts });
};
