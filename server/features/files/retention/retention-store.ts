import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { FileType } from '../../../contract/wire.ts';
import { inlineRead } from '../../../platform/db/inline-read.ts';
import type { Executor, Tx } from '../../../platform/db/port.ts';
import { freePathOf, nameNullVersion } from '../paths/insertion-store.ts';
import type { FileRow, MediaFileRow, Place } from '../tables.ts';
import type { Cause } from './kept-as.ts';

/** A file that is in the trash, or an earlier version. */
export type RemovedRow = Omit<FileRow, 'file_type'> & {
  file_type: FileType;
  superseded_at: number;
};
/** Where a page of the trash ends. */
export type TrashPosition = { removedAt: number; id: string };

/** The text stands in the statement itself, as in the partial indexes. */
export const IS_DELETED = sql<SqlBool>`files.removal = 'deleted'`;
/** A version whose deletion is planned belongs to a file in the trash. */
export const IS_VERSION = sql<SqlBool>`files.removal = 'replaced'`;

/** Marks a current file as superseded, and returns it as it was; undefined where it is not current any more. */
export async function supersede(
  tx: Tx,
  file: MediaFileRow,
  change: Pick<FileRow, 'purge_at' | 'version_id'> & { superseded_at: number; removal: Cause },
): Promise<MediaFileRow | undefined> {
  const row = await tx
    .updateTable('files')
    .set(change)
    .where('id', '=', file.id)
    .where('superseded_at', 'is', null)
    .returning(['stored_bytes', 'path'])
    .executeTakeFirst();
  return row && { ...file, ...row, version_id: change.version_id };
}

/**
 * How many versions a file has at most after those of another file have become its own, and how many are purged at once,
 * so that the next join has room. Two files that had all versions can become one by a move. What is left over goes with
 * the next replacement.
 */
export const MAX_JOINED = 256;

/** Selects the versions at a path for a change. */
export const versionsAt = (tx: Tx, { bucket_id, path }: Place) =>
  tx
    .updateTable('files')
    .where('bucket_id', '=', bucket_id)
    .where('path', '=', path)
    .where(IS_VERSION);

/**
 * Removes the versions of a deleted file with it: they are purged at the same time, or now where `purgeAt` is null.
 * The time is what tells them from the versions of another file that was deleted at the same path.
 */
export async function removeVersions(
  tx: Tx,
  file: Place,
  purgeAt: number | null,
  now: number,
): Promise<void> {
  // A transaction that took as long as someone has versions would stop the writes of all others.
  await purgeOldVersions(tx, file, { keep: MAX_JOINED, purgeAt: null, except: null, now });
  const change =
    purgeAt === null ? ({ removal: 'purged', purge_at: now } as const) : { purge_at: purgeAt };
  await versionsAt(tx, file).where('purge_at', 'is', null).set(change).execute();
}

/** Moves a version to the trash, as if it had been the file that was deleted at its path. */
export async function moveToTrash(
  tx: Tx,
  { id }: Pick<FileRow, 'id'>,
  deletion: Pick<FileRow, 'superseded_at' | 'purge_at'>,
): Promise<void> {
  const { superseded_at, purge_at } = deletion;
  await tx
    .updateTable('files')
    .set({ removal: 'deleted', superseded_at, purge_at })
    .where('id', '=', id)
    .execute();
}

/**
 * Selects the versions that belong to a file, the newest first: to the one in the trash that is purged at a time, or to the
 * current one for null.
 */
const versionRows = (db: Executor, { bucket_id, path }: Place, purgeAt: number | null) =>
  db
    .selectFrom('files')
    .where('bucket_id', '=', bucket_id)
    .where('path', '=', path)
    .where(IS_VERSION)
    .where('purge_at', purgeAt === null ? 'is' : '=', purgeAt)
    .orderBy('superseded_at', 'desc')
    .orderBy('id', 'desc');

/**
 * Purges the oldest versions of a file, but for the newest `keep`, beside `except`: 256 of them, and others with the next
 * call.
 * @param purgeAt when the file is purged, which is in the trash; null for the current file
 */
export async function purgeOldVersions(
  tx: Tx,
  file: Place,
  options: { keep: number; purgeAt: number | null; except: string | null; now: number },
): Promise<void> {
  const { keep, purgeAt, except, now } = options;
  const old = await versionRows(tx, file, purgeAt)
    .select('id')
    .$if(except !== null, (files) => files.where('id', '!=', except ?? ''))
    .limit(MAX_JOINED)
    .offset(keep)
    .execute();
  if (old.length === 0) return;
  const ids = old.map(({ id }) => id);
  const purged = { removal: 'purged', purge_at: now } as const;
  await tx.updateTable('files').set(purged).where('id', 'in', ids).execute();
}

/** Returns a page of the trash of a bucket, the file that was deleted last first. */
export async function deletedFiles(
  db: Executor,
  bucketId: string,
  { after, now, limit }: { after: TrashPosition | null; now: number; limit: number },
): Promise<RemovedRow[]> {
  let files = db
    .selectFrom('files')
    .selectAll()
    .where('bucket_id', '=', bucketId)
    .where(IS_DELETED)
    .where('purge_at', '>', now);
  if (after) {
    files = files.where(sql<SqlBool>`(superseded_at, id) < (${after.removedAt}, ${after.id})`);
  }
  const rows = await files
    .orderBy('superseded_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  return rows as RemovedRow[];
}

/** Whether what was removed from a path of a bucket still has its row: it is in the trash, or about to be purged. */
export async function isRemoved(db: Executor, { bucket_id, path }: Place): Promise<boolean> {
  const removed = (removal: 'deleted' | 'purged') =>
    db
      .selectFrom('files')
      .select('id')
      .where('bucket_id', '=', bucket_id)
      .where('path', '=', path)
      .where(sql<SqlBool>`files.removal = ${sql.lit(removal)}`);
  // SQLite uses no partial index for one condition on both.
  const rows = removed('deleted').unionAll(removed('purged')).limit(1);
  return (await rows.$call(inlineRead).executeTakeFirst()) !== undefined;
}

/** Returns the newest versions of a file; see `versionRows` about `purgeAt`. */
export async function versionsOf(
  db: Executor,
  file: Place,
  limit: number,
  purgeAt: number | null = null,
): Promise<RemovedRow[]> {
  return (await versionRows(db, file, purgeAt).selectAll().limit(limit).execute()) as RemovedRow[];
}

/** What can be restored: what is in the trash, and the versions of current files. */
export const isRestorable = (now: number): RawBuilder<SqlBool> =>
  sql`((${IS_DELETED} and purge_at > ${now}) or (${IS_VERSION} and purge_at is null))`;

/** Returns a file of a bucket that can be restored; undefined where there is none. */
export async function removedFile(
  db: Executor,
  bucketId: string,
  id: string,
  now: number,
): Promise<RemovedRow | undefined> {
  const row = await db
    .selectFrom('files')
    .selectAll()
    .where('id', '=', id)
    .where('bucket_id', '=', bucketId)
    .where(isRestorable(now))
    .executeTakeFirst();
  return row as RemovedRow | undefined;
}

/**
 * Makes a file current again, under the lock of its bucket, and returns its row; undefined where it is purged. With
 * `isRenamed`, it gets a number where its path is taken. A file that expired meanwhile no longer expires.
 */
export async function restoreRow(
  tx: Tx,
  file: RemovedRow,
  { isRenamed, now }: { isRenamed: boolean; now: number },
): Promise<FileRow | undefined> {
  const path = isRenamed ? await freePathOf(tx, file) : file.path;
  // One version of a path has the id 'null', which the file or one of its versions may bring with it.
  if (path !== file.path) await nameNullVersion(tx, file.bucket_id, path);
  // A file that has expired would be deleted again at once.
  const isExpired = file.expires_at !== null && file.expires_at <= now;
  const expires_at = isExpired ? null : file.expires_at;
  // Which version it is of those without an id of their own is said only of earlier ones.
  const version_id = file.version_id === 'null' ? null : file.version_id;
  const row = await tx
    .updateTable('files')
    .set({ path, version_id, superseded_at: null, removal: null, purge_at: null, expires_at })
    .where('id', '=', file.id)
    .where(isRestorable(now))
    .returningAll()
    .executeTakeFirst();
  if (row && file.purge_at !== null) {
    const change = { path: row.path, purge_at: null };
    await versionsAt(tx, file).where('purge_at', '=', file.purge_at).set(change).execute();
  }
  return row;
}
