import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { FileStatus } from '../../../contract/wire.ts';
import { inlineRead } from '../../../platform/db/inline-read.ts';
import { type Executor, isOnPostgres } from '../../../platform/db/port.ts';
import { prepareStatement } from '../../../platform/db/prepare-statement.ts';
import { MADE_COLUMNS, OF_FILE } from '../../media/service.ts';
import type { BlobRow, FileRow, Place } from '../tables.ts';
import { isCommonPrefix, type ObjectRange, startOf } from './object-range.ts';
import { raised } from './raised.ts';

/** A version of a file or a folder that was created, with what S3 clients see of it. */
export type ObjectRow = Pick<
  FileRow,
  | 'id'
  | 'path'
  | 'size'
  | 'file_type'
  | 'content_type'
  | 'access'
  | 'expires_at'
  | 'metadata'
  | 'headers'
  | 'tags'
  | 'version_id'
  | 'superseded_at'
  | 'removal'
  | 'created_at'
> & {
  /** The object that has all uploaded bytes; null where they aren't kept as one. */
  object_key: BlobRow['object_key'];
  blob_size: number | null;
  md5: string | null;
  etag: string | null;
  checksum: string | null;
  /** Null for a file that is not processed. */
  status: FileStatus | null;
  prefix: string | null;
  entry: string | null;
  /** Null for others than images. */
  renditions: string | null;
};

const objectRows = (db: Executor) =>
  db
    .selectFrom('files')
    .leftJoin(...OF_FILE)
    .leftJoin('blobs', 'blobs.id', 'files.blob_id')
    .select([
      ...([
        'files.id',
        'files.path',
        'files.size',
        'files.file_type',
        'files.content_type',
      ] as const),
      ...(['files.access', 'files.expires_at', 'files.metadata', 'files.headers'] as const),
      ...(['files.tags', 'files.version_id', 'files.superseded_at', 'files.removal'] as const),
      ...([
        'files.created_at',
        'blobs.object_key',
        'blobs.size as blob_size',
        'blobs.md5',
      ] as const),
      ...(['blobs.etag', 'blobs.checksum'] as const),
      ...MADE_COLUMNS,
    ]);

const currentObjects = (db: Executor) => objectRows(db).where('files.superseded_at', 'is', null);

/** Returns what is at a path of a bucket; undefined where nothing is. */
export async function objectAt(
  db: Executor,
  bucketId: string,
  path: string,
): Promise<ObjectRow | undefined> {
  return (await findAt(db, { bucketId, path })).rows[0];
}

const findAt = prepareStatement((db, { bucketId, path }: { bucketId: string; path: string }) =>
  currentObjects(db)
    .where('files.bucket_id', '=', bucketId)
    .where('files.path', '=', path)
    .$call(inlineRead),
);

/** Returns the parts in which the bytes of a file were uploaded, as JSON; null where that is unknown, or was in one. */
export async function partsOf(db: Executor, fileId: string): Promise<string | null> {
  const row = await db
    .selectFrom('files')
    .innerJoin('blobs', 'blobs.id', 'files.blob_id')
    .select('blobs.parts')
    .where('files.id', '=', fileId)
    .executeTakeFirst();
  return row?.parts ?? null;
}

/** Returns objects by their ids, whether they are current or not. */
export async function objectsByIds(db: Executor, ids: string[]): Promise<Map<string, ObjectRow>> {
  if (ids.length === 0) return new Map();
  const rows = await objectRows(db).where('files.id', 'in', ids).execute();
  return new Map(rows.map((row) => [row.id, row]));
}

/**
 * Returns the version of a path that has an id for S3 clients: 'null' for the one that was stored while its bucket kept no
 * versions. It is neither purged nor due to be. Undefined where there is none.
 */
export async function objectVersion(
  db: Executor,
  { bucket_id, path }: Place,
  versionId: string,
  now: number,
): Promise<ObjectRow | undefined> {
  const versions = objectRows(db)
    .where('files.bucket_id', '=', bucket_id)
    .where('files.path', '=', path)
    .where(
      sql<SqlBool>`(superseded_at is null or (removal in ('replaced', 'deleted')
        and (purge_at is null or purge_at > ${now})))`,
    );
  const withId = await versions.where('files.id', '=', versionId).executeTakeFirst();
  if (withId || versionId !== 'null') return withId;
  const current = await objectAt(db, bucket_id, path);
  if (current?.version_id === null) return current;
  return versions.where(sql<SqlBool>`version_id = 'null'`).executeTakeFirst();
}

/** Whether a bucket has any row of a file: also of earlier versions, of the trash, and of folders. */
export async function hasAnyFile(db: Executor, bucketId: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from files where bucket_id = ${bucketId} and superseded_at is null
    union all select 1 from files where bucket_id = ${bucketId} and superseded_at is not null
    limit 1`.execute(db);
  return rows.length > 0;
}

/** An object, or what the keys of several have in common up to the delimiter. */
export type ObjectEntry =
  | { path: string; isPrefix: true }
  /** Without its row where it was deleted meanwhile. */
  | { path: string; isPrefix: false; object: ObjectRow | undefined };

/**
 * Returns the first objects of a bucket in the byte order of their keys. With a delimiter each entry costs one or two
 * lookups by the unique index, however many keys a common prefix stands for.
 */
export async function objectEntries(
  db: Executor,
  bucketId: string,
  range: ObjectRange,
): Promise<ObjectEntry[]> {
  const start = startOf(range);
  if (start === null) return [];
  if (range.delimiter === '') {
    const rows = await currentObjects(db)
      .where('files.bucket_id', '=', bucketId)
      .where('files.path', '>=', start)
      .$if(range.prefix !== '' && raised(range.prefix) !== null, (files) =>
        files.where('files.path', '<', raised(range.prefix) ?? ''),
      )
      .orderBy('files.path')
      .limit(range.limit)
      .execute();
    return rows.map((object) => ({ path: object.path, isPrefix: false, object }));
  }
  const paths = await entryPaths(db, bucketId, range, start, false);
  const keys = paths.filter((path) => !isCommonPrefix(path, range));
  const rows =
    keys.length === 0
      ? []
      : await currentObjects(db)
          .where('files.bucket_id', '=', bucketId)
          .where('files.path', 'in', keys)
          .execute();
  const objects = new Map(rows.map((object) => [object.path, object]));
  return paths.map((path) =>
    isCommonPrefix(path, range)
      ? { path, isPrefix: true }
      : { path, isPrefix: false, object: objects.get(path) },
  );
}

/** The conditions of the partial indexes of paths: of current files, and of earlier versions and the trash. */
const CURRENT = sql`superseded_at is null`;
const EARLIER = [sql`removal = 'replaced'`, sql`removal = 'deleted'`];

/**
 * Returns the first keys and common prefixes of a range.
 * @param withEarlier whether those count too at which only earlier versions or deleted files are
 */
export async function entryPaths(
  db: Executor,
  bucketId: string,
  { prefix, delimiter, limit }: ObjectRange,
  start: string,
  withEarlier: boolean,
): Promise<string[]> {
  const isPostgres = isOnPostgres(db);
  const [position, character] = isPostgres ? ['strpos', 'chr'] : ['instr', 'char'];
  const end = prefix === '' ? null : raised(prefix);
  const before = end === null ? sql`` : sql`and path < ${end}`;
  const first = (from: RawBuilder<unknown>) => {
    const least = (withEarlier ? [CURRENT, ...EARLIER] : [CURRENT]).map(
      (condition) => sql`(select path from files
        where bucket_id = ${bucketId} and ${condition} and path >= ${from} ${before}
        order by path limit 1)`,
    );
    const [only, ...others] = least;
    if (only && others.length === 0) return only;
    const paths = least.map((one) => sql`select path from ${one} as least`);
    return sql`(select min(path) from (${sql.join(paths, sql` union all `)}) as paths)`;
  };
  const length = sql`length(cast(${prefix} as text))`;
  const width = sql`length(cast(${delimiter} as text))`;
  const found = sql`${sql.raw(position)}(substr(entry.path, ${length} + 1), cast(${delimiter} as text))`;
  const next = sql`case when ${found} > 0
    then substr(entry.path, 1, ${length} + ${found} - 1) || cast(${raised(delimiter)} as text)
    else entry.path || ${sql.raw(character)}(1) end`;
  const { rows } = await sql<{ path: string }>`
    with recursive entry(path, number) as (
      select ${first(sql`cast(${start} as text)`)}, 1
      union all
      select ${first(next)}, number + 1 from entry where path is not null and number < ${limit}
    )
    select case when ${found} > 0 then substr(entry.path, 1, ${length} + ${found} + ${width} - 1)
      else entry.path end as path
    from entry where entry.path is not null order by number`.execute(db);
  return rows.map(({ path }) => path);
}
