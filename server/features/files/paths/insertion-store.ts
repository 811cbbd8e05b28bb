import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { runStatements, type Statement } from '../../../platform/db/batch.ts';
import { inlineRead } from '../../../platform/db/inline-read.ts';
import type { Executor, Tx } from '../../../platform/db/port.ts';
import { prepareStatement } from '../../../platform/db/prepare-statement.ts';
import { locksRows } from '../../../platform/db/row-locks.ts';
import type { Versioning } from '../../buckets/service.ts';
import type { FileRow } from '../tables.ts';
import { splitExtension, unnumbered } from './paths.ts';

/** The highest number that is looked for. Powers of two up to it can be taken on purpose, each by one file. */
const MAX_NUMBER = 2 ** 20;

/** Distinguishes these advisory locks from the others in the same database. */
const LOCK_SEED = 0x70617468;

/** Returns the id of the file at a path of a bucket; undefined where there is none. */
export async function fileAt(
  db: Executor,
  bucketId: string,
  path: string,
): Promise<string | undefined> {
  return (await findAt(db, { bucketId, path })).rows[0]?.id;
}

const findAt = prepareStatement((db, { bucketId, path }: { bucketId: string; path: string }) =>
  db
    .selectFrom('files')
    .select('id')
    .where('bucket_id', '=', bucketId)
    .where('path', '=', path)
    .where('superseded_at', 'is', null)
    .$call(inlineRead),
);

/**
 * Moves a file and its versions to a path at which no other file is, under the lock of its bucket. It no longer waits
 * for another path.
 */
export async function movePath(
  tx: Tx,
  file: Pick<FileRow, 'id' | 'bucket_id' | 'path'>,
  { path, name }: Pick<FileRow, 'path' | 'name'>,
): Promise<void> {
  await tx.deleteFrom('replacements').where('file_id', '=', file.id).execute();
  if (await hasNullVersion(tx, file)) await nameNullVersion(tx, file.bucket_id, path);
  await tx.updateTable('files').set({ path, name }).where('id', '=', file.id).execute();
  await tx
    .updateTable('files')
    .set({ path })
    .where('bucket_id', '=', file.bucket_id)
    .where('path', '=', file.path)
    .where(sql<SqlBool>`removal = 'replaced'`)
    .where('purge_at', 'is', null)
    .execute();
}

/** Whether a file, or an earlier version that moves with it, has the id 'null', which one at a path has. */
async function hasNullVersion(
  tx: Tx,
  { bucket_id, path }: Pick<FileRow, 'bucket_id' | 'path'>,
): Promise<boolean> {
  const row = await tx
    .selectFrom('files')
    .select('id')
    .where('bucket_id', '=', bucket_id)
    .where('path', '=', path)
    .where(
      sql<SqlBool>`((superseded_at is null and version_id is null)
        or (version_id = 'null' and removal = 'replaced' and purge_at is null))`,
    )
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Gives the version of a path whose id is 'null' its own id, as another one now has that one. */
export async function nameNullVersion(tx: Tx, bucketId: string, path: string): Promise<void> {
  await nullVersionNaming(tx, bucketId, sql<string>`${path}`).execute();
}

/** The same at the path of a file, which may be another one than it wished. */
const nameOtherNullVersion = prepareStatement(
  (tx, { id, bucket_id }: Pick<FileRow, 'id' | 'bucket_id'>) =>
    nullVersionNaming(tx, bucket_id, sql<string>`(select path from files where id = ${id})`),
);

const nullVersionNaming = (tx: Executor, bucketId: string, path: RawBuilder<string>) =>
  tx
    .updateTable('files')
    .set(({ ref }) => ({ version_id: ref('id') }))
    .where('bucket_id', '=', bucketId)
    .where('path', '=', path)
    .where(sql<SqlBool>`version_id = 'null'`);

/**
 * Returns the statements that insert the row of a new file. Where its path is taken, it gets another one. Others that
 * look for the same paths wait until the transaction ends.
 * @param options.versioning of its bucket. While it is suspended, an earlier version of the path may have the id 'null',
 *   which is then the new file's.
 */
export const fileInsertion = (
  db: Executor,
  file: NewFileRow,
  { versioning = null }: { versioning?: Versioning } = {},
): Statement[] => [
  ...pathLock(db, file),
  { query: insert.query(db, { ...file, ...splitExtension(file.path) }) },
  ...(versioning === 'Suspended' ? [{ query: nameOtherNullVersion.query(db, file) }] : []),
];

/**
 * Returns the statements that keep other new files of a bucket from a path, and from all that are this one with
 * another number, until the transaction ends. What they have taken can be read only by a later statement. SQLite has
 * one writer, and needs none.
 */
const pathLock = (
  db: Executor,
  { bucket_id, path }: Pick<FileRow, 'bucket_id' | 'path'>,
): Statement[] =>
  locksRows(db) ? [{ query: lock.query(db, { name: `${bucket_id}/${unnumbered(path)}` }) }] : [];

const lock = prepareStatement(
  (_db, { name }: { name: string }) => sql`
    select cast(pg_advisory_xact_lock(
      hashtextextended(cast(${name} as text), ${sql.lit(LOCK_SEED)})) as text)`,
);

/**
 * Keeps other new files of a bucket from a path until the transaction ends, so that what is there can be read. Files
 * that are moved or restored to it wait for the bucket.
 */
export async function lockPath(tx: Tx, file: Pick<FileRow, 'bucket_id' | 'path'>): Promise<void> {
  await runStatements(tx, pathLock(tx, file));
}

/** Returns the path that a file gets which wishes one. Others that look for it wait until the transaction ends. */
export async function freePathOf(
  tx: Tx,
  file: Pick<FileRow, 'id' | 'bucket_id' | 'path'>,
): Promise<string> {
  await lockPath(tx, file);
  const path = freePath({ ...file, ...splitExtension(file.path) });
  const { rows } = await sql<{ path: string }>`select ${path} as path`.execute(tx);
  return rows[0]?.path ?? file.path;
}

/** A file that is current. */
export type NewFileRow = Omit<FileRow, 'removal' | 'purge_at'>;

/** A file with the path that it wishes, also in two parts. */
type WishedFile = Pick<FileRow, 'id' | 'bucket_id' | 'path'> & ReturnType<typeof splitExtension>;

const insert = prepareStatement((tx, { stem, extension, ...file }: NewFileRow & WishedFile) =>
  tx
    .insertInto('files')
    .values({ ...file, path: freePath({ ...file, stem, extension }) })
    .returning('path as inserted_path'),
);

/** Returns the path that a new file has got, from what the statements with its insertion have returned. */
export function insertedPath(results: unknown[][]): string {
  for (const row of results.flat() as { inserted_path?: string }[]) {
    if (row.inserted_path !== undefined) return row.inserted_path;
  }
  throw new Error('No file was inserted.');
}

/**
 * Returns an expression for a file's path: the one that it wishes, or else the first number that the search
 * finds free, as in `photo (2).jpg`; its id where the numbers are used up. The search doubles a number while it
 * is taken, and then halves the distance to the highest taken one. So ten thousand files of one name cost some
 * thirty lookups by the unique index, and where files in between were deleted, a gap may stay unused.
 *
 * No other statement may add such a path meanwhile; see `pathLock`.
 */
function freePath({ id, bucket_id, path, stem, extension }: WishedFile): RawBuilder<string> {
  const withSuffix = (suffix: RawBuilder<unknown>) =>
    sql`cast(${stem} as text) || ' (' || ${suffix} || ')' || cast(${extension} as text)`;
  const isTaken = (candidate: RawBuilder<unknown>) => sql`exists (
    select 1 from files where bucket_id = ${bucket_id} and path = ${candidate} and superseded_at is null)`;
  const wished = sql`cast(${path} as text)`;
  return sql<string>`(
    with recursive doubled(number) as (
      select 1 where ${isTaken(wished)}
      union all
      select number * 2 from doubled
      where number < ${sql.lit(MAX_NUMBER)} and ${isTaken(withSuffix(sql`(number * 2)`))}
    ), halved(taken, distance) as (
      select max(number), max(number) from doubled
      union all
      select taken + case when ${isTaken(withSuffix(sql`(taken + distance / 2)`))}
        then distance / 2 else 0 end, distance / 2
      from halved where distance > 1
    )
    select case
      when taken is null then ${wished}
      when taken >= ${sql.lit(MAX_NUMBER)} then ${withSuffix(sql`cast(${id} as text)`)}
      else ${withSuffix(sql`(taken + 1)`)} end
    from halved where taken is null or distance = 1)`;
}
