import { SECOND } from '../../../contract/limits.ts';
import { AppError, tooMany } from '../../../errors.ts';
import type { Executor } from '../../../platform/db/port.ts';
import { type Preconditions, preconditionsHold } from '../../../web/http/conditional-requests.ts';
import { blobById } from '../blobs-store.ts';
import { etagOf, unknownEtag } from '../keys.ts';
import { pathTaken } from '../paths/moves.ts';
import { fileAtPath } from '../store.ts';
import type { MediaFileRow, Place } from '../tables.ts';
import { countReplacements } from './replacements-store.ts';

/** What to do where another file is at the path of an upload: give the new one a number, replace that file, or refuse. */
export type OnConflict = 'rename' | 'replace' | 'error';

/** Where an upload is to be, and what it expects there. */
export type Destination = {
  path: string;
  onConflict: OnConflict;
  preconditions: Preconditions;
  expectedFile?: ExpectedFile | undefined;
};

/**
 * The file that must still be at a path although the preconditions hold, as another one can have the same ETag: its id,
 * or null for none.
 */
export type ExpectedFile = {
  id: string | null;
  /** Returns what to throw where another one is there, or none. */
  otherwise: () => unknown;
};

/** How many files of a path are processed at the same time, to replace the one that is there. */
const MAX_WAITING = 32;
const RETRY_AFTER_MS = 10 * SECOND;

const otherVersion = (text: string) => new AppError(412, 'other-version', text);

/** Whether an upload depends on what is at its path, where it then must stay the only one until it is committed. */
export const readsPath = ({ onConflict, preconditions }: Destination): boolean =>
  onConflict !== 'rename' || hasPreconditions(preconditions);

export const hasPreconditions = ({ ifMatch, ifNoneMatch }: Preconditions): boolean =>
  ifMatch !== null || ifNoneMatch !== null;

/**
 * Returns the id of the file that an upload replaces; null where nothing is at its path, or it gets another one. Throws
 * path-taken, other-version. It may change until the upload is committed, unless its path is locked.
 */
export async function fileToReplace(
  db: Executor,
  bucketId: string,
  { path, onConflict, preconditions, expectedFile }: Destination,
): Promise<string | null> {
  const file = await fileAtPath(db, bucketId, path);
  const place = { bucket_id: bucketId, path };
  if (hasPreconditions(preconditions)) {
    if (!preconditionsHold(preconditions, file ? await etagsOf(db, file) : null)) {
      throw otherVersion(file ? 'Another file is at this path.' : 'No file is at this path.');
    }
    // A client that expects a version would find another one once that is processed.
    if ((await countReplacements(db, place, 1)) > 0) {
      throw otherVersion('Another upload is replacing the file at this path.');
    }
  }
  if (expectedFile && expectedFile.id !== (file?.id ?? null)) throw expectedFile.otherwise();
  if (onConflict === 'rename' || !file) return null;
  if (onConflict === 'error') throw pathTaken();
  return file.id;
}

/** Throws too-many where no other file may wait to replace the one at a path. */
export async function requireFewWaiting(db: Executor, place: Place): Promise<void> {
  if ((await countReplacements(db, place, MAX_WAITING)) < MAX_WAITING) return;
  throw tooMany('Too many uploads are replacing the file at this path.', RETRY_AFTER_MS);
}

/**
 * Returns the ETag with which a file is delivered, which has none until it is published, and the one of its bytes. Where
 * those aren't kept, S3 clients know it by what is delivered.
 */
async function etagsOf(db: Executor, file: MediaFileRow): Promise<string[]> {
  const { id, prefix, entry, blob_id } = file;
  const blob = blob_id === null ? undefined : await blobById(db, blob_id);
  const delivered = prefix === null || entry === null ? null : prefix + entry;
  const uploaded = blob?.object_key ?? (file.file_type === 'image' ? delivered : null) ?? id;
  const ofBytes = blob?.etag ?? blob?.md5 ?? unknownEtag(uploaded);
  return [...(delivered === null ? [] : [etagOf(delivered)]), ofBytes].map((etag) => `"${etag}"`);
}
