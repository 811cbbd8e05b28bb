import { type RawBuilder, sql } from 'kysely';
import { inlineRead } from '../../../platform/db/inline-read.ts';
import type { Executor, Tx } from '../../../platform/db/port.ts';
import { takeSuperseded } from '../store.ts';
import type { FileRow, MediaFileRow } from '../tables.ts';
import { IS_DELETED, isRestorable, type RemovedRow, versionsAt } from './retention-store.ts';

/** Marks a file that can be restored, and its versions, to be purged now. Returns whether there is one. */
export async function markPurged(tx: Tx, file: RemovedRow, now: number): Promise<boolean> {
  const purged = { removal: 'purged', purge_at: now } as const;
  const row = await tx
    .updateTable('files')
    .set(purged)
    .where('id', '=', file.id)
    .where(isRestorable(now))
    .returning('id')
    .executeTakeFirst();
  if (!row) return false;
  if (file.purge_at !== null) {
    await versionsAt(tx, file).where('purge_at', '=', file.purge_at).set(purged).execute();
  }
  return true;
}

/**
 * Marks a slice of the trash to be purged now: the versions of its last files, and then the files. Each of both are `limit`
 * at most, as one file can have hundreds of versions. Returns how many, and whether no others were in the trash.
 */
export async function markTrashPurged(
  tx: Tx,
  bucketId: string,
  now: number,
  limit: number,
): Promise<{ versions: number; files: number; isLast: boolean }> {
  const last = sql`
    from files where bucket_id = ${bucketId} and ${IS_DELETED} and purge_at > ${now}
    order by superseded_at desc, id desc limit ${limit}`;
  // PostgreSQL judges a row for which it had to wait by the conditions on itself alone: what was restored meanwhile stays,
  // so that fewer are marked than were found. As expressions they lead to no index, which would be read from end to end.
  const mark = async (removal: 'replaced' | 'deleted', select: RawBuilder<{ id: string }>) => {
    const ids = (await select.execute(tx)).rows.map(({ id }) => id);
    if (ids.length === 0) return { found: 0, marked: 0 };
    const { numAffectedRows } = await sql`
      update files set removal = 'purged', purge_at = ${now}
      where id in (${sql.join(ids)}) and coalesce(removal, '') = ${removal}
        and +purge_at > ${now}`.execute(tx);
    return { found: ids.length, marked: Number(numAffectedRows ?? 0n) };
  };
  // SQLite reads the tables of a cross join in this order, and all versions of the bucket otherwise.
  const versions = await mark(
    'replaced',
    sql<{ id: string }>`
    select version.id from (select path, purge_at ${last}) as deleted
    cross join files as version
    where version.bucket_id = ${bucketId} and version.path = deleted.path
      and version.purge_at = deleted.purge_at and version.removal = 'replaced'
    limit ${limit}`,
  );
  // The other versions are found by their file.
  if (versions.found === limit) return { versions: versions.marked, files: 0, isLast: false };
  const files = await mark('deleted', sql<{ id: string }>`select id ${last}`);
  return { versions: versions.marked, files: files.marked, isLast: files.found < limit };
}

/** Returns files that are due to be purged. */
export const duePurges = (
  db: Executor,
  now: number,
  limit: number,
): Promise<Pick<FileRow, 'id' | 'bucket_id'>[]> =>
  db
    .selectFrom('files')
    .select(['id', 'bucket_id'])
    .where('purge_at', 'is not', null)
    .where('purge_at', '<=', now)
    .orderBy('purge_at')
    .limit(limit)
    .$call(inlineRead)
    .execute();

/** Deletes the rows of a file that is due to be purged, and returns them; undefined where there is none. */
export async function takePurged(
  tx: Tx,
  id: string,
  now: number,
): Promise<MediaFileRow | undefined> {
  // The row is locked before it is read, so that nobody restores it meanwhile.
  const due = await tx
    .updateTable('files')
    .set({ removal: 'purged' })
    .where('id', '=', id)
    .where('purge_at', '<=', now)
    .returning('id')
    .executeTakeFirst();
  return due && takeSuperseded(tx, id);
}

/** Puts off the purge of a file that is due, which nobody can restore any more. */
export async function postponePurge(db: Executor, id: string, until: number): Promise<void> {
  await db
    .updateTable('files')
    .set({ removal: 'purged', purge_at: until })
    .where('id', '=', id)
    .where('purge_at', '<', until)
    .execute();
}
