import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Executor, Tx } from '../../../platform/db/port.ts';
import {
  IS_DELETED,
  IS_VERSION,
  MAX_JOINED,
  purgeOldVersions,
  versionsOf,
} from '../retention/retention-store.ts';
import type { FileRow, Place } from '../tables.ts';

/** A version in the order of lists: current ones have the highest `at`, others the time at which they were superseded. */
export type VersionPosition = Pick<FileRow, 'id' | 'path'> & { at: number };

/** An earlier version, which may be in the trash. */
export type EarlierRow = Pick<
  FileRow,
  'id' | 'bucket_id' | 'path' | 'name' | 'removal' | 'purge_at' | 'version_id' | 'stored_bytes'
> & { superseded_at: number };

/** Which versions are listed: of paths from `from` on and before `before`, which is null for no bound. */
export type VersionRange = { from: string; before: string | null; limit: number; now: number };

/** The `at` of current files, which come before all others of their paths. */
export const CURRENT_AT = Number.MAX_SAFE_INTEGER;

const IS_CURRENT = sql<SqlBool>`superseded_at is null`;
/** S3 clients know deletions that were while the bucket kept versions. */
const HAS_MARKER = sql<SqlBool>`version_id is not null`;

const isKept = (now: number) => sql<SqlBool>`(purge_at is null or purge_at > ${now})`;

/**
 * Returns the first versions of a range by their paths, and at each path the current one first, then from the one that
 * was superseded last.
 * @param withEarlier whether others than current ones are listed
 */
export async function versionPositions(
  db: Executor,
  bucketId: string,
  { from, before, limit, now }: VersionRange,
  withEarlier: boolean,
): Promise<VersionPosition[]> {
  const end = before === null ? sql`` : sql`and path < ${before}`;
  const first = (at: RawBuilder<unknown>, condition: RawBuilder<unknown>, order: string) => sql`
    select id, path, at from (select id, path, ${at} as at from files
      where bucket_id = ${bucketId} and ${condition} and path >= ${from} ${end}
      order by ${sql.raw(order)} limit ${limit}) as found`;
  const earlier = (condition: RawBuilder<unknown>) =>
    first(
      sql`superseded_at`,
      sql`${condition} and ${isKept(now)}`,
      'path, superseded_at desc, id desc',
    );
  const current = first(sql`cast(${sql.lit(CURRENT_AT)} as bigint)`, IS_CURRENT, 'path');
  const all = withEarlier ? [current, earlier(IS_VERSION), earlier(IS_DELETED)] : [current];
  const { rows } = await sql<VersionPosition>`
    select id, path, at from (${sql.join(all, sql` union all `)}) as versions
    order by path, at desc, id desc limit ${limit}`.execute(db);
  return rows;
}

/** Returns the versions of a path behind one of them, the last superseded one first. */
export async function versionsBehind(
  db: Executor,
  { bucket_id, path }: Place,
  range: { supersededAt: number; id: string; limit: number; now: number },
): Promise<VersionPosition[]> {
  const { supersededAt, id, limit, now } = range;
  const behind = (condition: RawBuilder<unknown>) => sql`
    select id, path, superseded_at from (select id, path, superseded_at from files
      where bucket_id = ${bucket_id} and path = ${path} and ${condition} and ${isKept(now)}
        and (superseded_at, id) < (${supersededAt}, ${id})
      order by superseded_at desc, id desc limit ${limit}) as found`;
  const { rows } = await sql<VersionPosition>`
    select id, path, superseded_at as at
    from (${behind(IS_VERSION)} union all ${behind(IS_DELETED)}) as versions
    order by superseded_at desc, id desc limit ${limit}`.execute(db);
  return rows;
}

const earlierRows = (db: Executor, { bucket_id, path }: Place) =>
  db
    .selectFrom('files')
    .select(['id', 'bucket_id', 'path', 'name', 'removal', 'purge_at', 'version_id'])
    .select(['stored_bytes', 'superseded_at'])
    .where('bucket_id', '=', bucket_id)
    .where('path', '=', path)
    .$narrowType<{ superseded_at: number }>();

/** Selects the files of a path that are in the trash. One that is due is as good as gone. */
const deletedRows = (db: Executor, place: Place, now: number) =>
  earlierRows(db, place).where(IS_DELETED).where('purge_at', '>', now);

/** Returns an earlier version of a path by its id; undefined where there is none. */
export const earlierVersion = (
  db: Executor,
  place: Place,
  id: string,
): Promise<EarlierRow | undefined> =>
  earlierRows(db, place)
    .where('id', '=', id)
    .where('superseded_at', 'is not', null)
    .executeTakeFirst();

/**
 * Returns the file in the trash that tells of the last deletion at a path, or of the one at a time; undefined where there
 * is none.
 */
export async function lastDeletion(
  db: Executor,
  place: Place,
  now: number,
  deletedAt?: number,
): Promise<EarlierRow | undefined> {
  return deletedRows(db, place, now)
    .where(HAS_MARKER)
    .$if(deletedAt !== undefined, (files) => files.where('superseded_at', '=', deletedAt ?? 0))
    .orderBy('superseded_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** Returns the first deletion at a path after another one, whose file is not due yet; undefined where there is none. */
export async function nextDeletion(
  db: Executor,
  { superseded_at, ...place }: Place & { superseded_at: number },
  now: number,
): Promise<EarlierRow | undefined> {
  return deletedRows(db, place, now)
    .where('superseded_at', '>', superseded_at)
    .orderBy('superseded_at')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
}

/** Marks an earlier version, and no other one, to be purged now. Returns whether it was there. */
export async function purgeVersion(tx: Tx, id: string, now: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('files')
    .set({ removal: 'purged', purge_at: now })
    .where('id', '=', id)
    .where(sql<SqlBool>`removal in ('replaced', 'deleted') and ${isKept(now)}`)
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}

/**
 * Makes a file of the trash with its versions earlier versions of a file that was at its path later, which has 256 of
 * them at most: the oldest ones are purged. Who deletes one marker after the other would otherwise collect so many that
 * the transaction stops the writes of everyone.
 */
export async function joinVersions(
  tx: Tx,
  { id, ...file }: Place & Pick<EarlierRow, 'id' | 'purge_at'>,
  purgeAt: number | null,
  now: number,
): Promise<void> {
  const newest = await versionsOf(tx, file, MAX_JOINED - 1, file.purge_at);
  await tx
    .updateTable('files')
    .set({ removal: 'replaced', purge_at: purgeAt })
    .where('id', 'in', [id, ...newest.map((version) => version.id)])
    .execute();
  const others = { except: null, now };
  await purgeOldVersions(tx, file, { ...others, purgeAt: file.purge_at, keep: 0 });
  await purgeOldVersions(tx, file, { ...others, purgeAt, keep: MAX_JOINED });
}

/** What is changed of a version without making another one. */
export type VersionChange = Partial<Pick<FileRow, 'tags' | 'access'>>;

/** Changes a version, which may have ended meanwhile. Returns whether it is there. */
export async function updateVersion(tx: Tx, id: string, change: VersionChange): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('files')
    .set(change)
    .where('id', '=', id)
    .where(sql<SqlBool>`(superseded_at is null or removal in ('replaced', 'deleted'))`)
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}
