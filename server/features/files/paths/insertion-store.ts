import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { runStatements, type Statement } from '../../../platform/db/batch.ts';
import { inlineRead } from '../../../platform/db/inline-read.ts';
import { type Executor, isOnPostgres, type Tx } from '../../../platform/db/port.ts';
import { prepareStatement } from '../../../platform/db/prepare-statement.ts';
import type { Versioning } from '../../buckets/service.ts';
import { lockedMedia } from '../../media/service.ts';
import type { FileRow, Place } from '../tables.ts';
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
  return (await findAt(db, { bucket_id: bucketId, path })).rows[0]?.id;
}

const findAt = prepareStatement((db, place: Place) => currentAt(db, place).$call(inlineRead));

const currentAt = (db: Executor, { bucket_id, path }: Place) =>
  db
    .selectFrom('files')
    .select('id')
    .where('bucket_id', '=', bucket_id)
    .where('path', '=', path)
    .where('superseded_at', 'is', null);

/** Returns which of some paths of a bucket are taken by files. */
export async function takenPaths(tx: Tx, bucketId: string, paths: string[]): Promise<Set<string>> {
  if (paths.length === 0) return new Set();
  const rows = await tx
    .selectFrom('files')
    .select('path')
    .where('bucket_id', '=', bucketId)
    .where('path', 'in', paths)
    .where('superseded_at', 'is', null)
    .execute();
  return new Set(rows.map(({ path }) => path));
}

/**
 * Moves a file and its versions to a path at which no other file is, under the lock of its bucket. It no longer waits
 * for another path.
 */
export async function movePath(
  tx: Tx,
  file: Pick<FileRow, 'id' | 'bucket_id' | 'path'>,
  { path, name }: Pick<FileRow, 'path' | 'name'>,
): Promise<void> {
  await runStatements(tx, movement(tx, file, { path, name }));
}

/** Returns the statements that do so in a batch. */
export const movement = (
  db: Executor,
  { id, bucket_id, path: from }: Pick<FileRow, 'id' | 'bucket_id' | 'path'>,
  { path, name }: Pick<FileRow, 'path' | 'name'>,
): Statement[] => [
  { query: endWaiting.query(db, { id }) },
  { query: giveWayToNull.query(db, { bucket_id, from, path }) },
  { query: setPath.query(db, { id, path, name }) },
  { query: moveVersions.query(db, { bucket_id, from, path }) },
];

const endWaiting = prepareStatement((db, { id }: { id: string }) =>
  db.deleteFrom('replacements').where('file_id', '=', id),
);

type Moved = { bucket_id: string; from: string; path: string };

/**
 * Gives the version of a new path whose id is 'null' its own id, where the file, or an earlier version that moves with it,
 * has that one, which one at a path has.
 */
const giveWayToNull = prepareStatement(
  (_db, { bucket_id, from, path }: Moved) => sql`
    update files set version_id = id
    where bucket_id = ${bucket_id} and path = ${path} and version_id = 'null' and exists (
      select 1 from files as moved where moved.bucket_id = ${bucket_id} and moved.path = ${from}
        and ((moved.superseded_at is null and moved.version_id is null)
          or (moved.version_id = 'null' and moved.removal = 'replaced' and moved.purge_at is null)))`,
);

const setPath = prepareStatement((db, { id, path, name }: Pick<FileRow, 'id' | 'path' | 'name'>) =>
  db.updateTable('files').set({ path, name }).where('id', '=', id),
);

const moveVersions = prepareStatement((db, { bucket_id, from, path }: Moved) =>
  db
    .updateTable('files')
    .set({ path })
    .where('bucket_id', '=', bucket_id)
    .where('path', '=', from)
    .where(sql<SqlBool>`removal = 'replaced'`)
    .where('purge_at', 'is', null),
);

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
const pathLock = (db: Executor, { bucket_id, path }: Place): Statement[] =>
  isOnPostgres(db) ? [{ query: lock.query(db, { name: `${bucket_id}/${unnumbered(path)}` }) }] : [];

const lock = prepareStatement(
  (_db, { name }: { name: string }) => sql`
    select cast(pg_advisory_xact_lock(
      hashtextextended(cast(${name} as text), ${sql.lit(LOCK_SEED)})) as text)`,
);

/**
 * Keeps other new files of a bucket from a path until the transaction ends, so that what is there can be read. Files
 * that are moved or restored to it wait for the bucket.
 */
export async function lockPath(tx: Tx, file: Place): Promise<void> {
  await runStatements(tx, pathLock(tx, file));
}

/**
 * Returns the statements that keep a path for a batch. They throw where a file is there, or one waits for it that is
 * being processed.
 * @param otherwise returns what to throw
 */
export const unusedPath = (db: Executor, place: Place, otherwise: () => unknown): Statement[] => [
  ...pathLock(db, place),
  { query: findUnused.query(db, place), expect: 1, otherwise },
];

const findUnused = prepareStatement(
  (_db, { bucket_id, path }: Place) => sql`
    select 1 as unused where not exists (
      select 1 from files where bucket_id = ${bucket_id} and path = ${path} and superseded_at is null
    ) and not exists (
      select 1 from replacements where bucket_id = ${bucket_id} and path = ${path}
    )`,
);

/**
 * Keeps the file at a path as it is until the transaction ends, so that nobody deletes it meanwhile. Its path is locked
 * before.
 */
export async function lockFileAt(tx: Tx, place: Place): Promise<void> {
  const locks = isOnPostgres(tx) ? [lockMediaAt, lockAt] : [];
  await runStatements(
    tx,
    locks.map((one) => ({ query: one.query(tx, place) })),
  );
}

const lockMediaAt = prepareStatement((db, place: Place) => lockedMedia(db, currentAt(db, place)));

const lockAt = prepareStatement((db, place: Place) => currentAt(db, place).forUpdate());

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
