import { PostgresAdapter, sql } from 'kysely';
import type { FileStatus } from '../../../contract/wire.ts';
import { inlineRead } from '../../../platform/db/inline-read.ts';
import type { Executor } from '../../../platform/db/port.ts';
import { prepareStatement } from '../../../platform/db/prepare-statement.ts';
import type { BlobRow, FileRow } from '../tables.ts';
import { raised } from './raised.ts';

/** A current file or a folder that was created, with what S3 clients see of it. */
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
  renditions: string | null;
};

const objectRows = (db: Executor) =>
  db
    .selectFrom('files')
    .leftJoin('media', 'media.file_id', 'files.id')
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
      ...([
        'files.created_at',
        'blobs.object_key',
        'blobs.size as blob_size',
        'blobs.md5',
      ] as const),
      ...(['blobs.etag', 'blobs.checksum', 'media.status', 'media.prefix'] as const),
      ...(['media.entry', 'media.renditions'] as const),
    ])
    .where('files.superseded_at', 'is', null);

/** Returns what is at a path of a bucket; undefined where nothing is. */
export async function objectAt(
  db: Executor,
  bucketId: string,
  path: string,
): Promise<ObjectRow | undefined> {
  return (await findAt(db, { bucketId, path })).rows[0];
}

const findAt = prepareStatement((db, { bucketId, path }: { bucketId: string; path: string }) =>
  objectRows(db)
    .where('files.bucket_id', '=', bucketId)
    .where('files.path', '=', path)
    .$call(inlineRead),
);

/** Whether a bucket has any row of a file: also of earlier versions, of the trash, and of folders. */
export async function hasAnyFile(db: Executor, bucketId: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from files where bucket_id = ${bucketId} and superseded_at is null
    union all select 1 from files where bucket_id = ${bucketId} and superseded_at is not null
    limit 1`.execute(db);
  return rows.length > 0;
}

/** Which objects are listed. */
export type ObjectRange = {
  prefix: string;
  /** What divides a key into a common prefix and the rest; '' for nothing. */
  delimiter: string;
  /** Keys and common prefixes up to this one are not listed; '' for none. */
  after: string;
  limit: number;
};

/** An object, or what the keys of several have in common up to the delimiter. */
export type ObjectEntry =
  | { path: string; isPrefix: true }
  /** Without its row where it was deleted meanwhile. */
  | { path: string; isPrefix: false; object: ObjectRow | undefined };

/** No path has a control character, so this is behind a path, and before all others behind it. */
const behind = (path: string) => `${path}\u0001`;

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
    const rows = await objectRows(db)
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
  const paths = await entryPaths(db, bucketId, range, start);
  const keys = paths.filter((path) => !isCommonPrefix(path, range));
  const rows =
    keys.length === 0
      ? []
      : await objectRows(db)
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

/** Whether an entry stands for all keys that begin with it. */
const isCommonPrefix = (path: string, { prefix, delimiter }: ObjectRange): boolean =>
  path.indexOf(delimiter, prefix.length) === path.length - delimiter.length &&
  path.length >= prefix.length + delimiter.length;

/** Returns the least path that a list may begin with; null where none can be in it. */
function startOf({ prefix, delimiter, after }: ObjectRange): string | null {
  // JavaScript compares texts by their UTF-16, in another order.
  if (Buffer.compare(Buffer.from(after), Buffer.from(prefix)) < 0) return prefix;
  if (after === '') return prefix;
  if (delimiter === '' || !after.startsWith(prefix)) return behind(after);
  const end = after.indexOf(delimiter, prefix.length);
  const isPrefix = end >= 0 && end === after.length - delimiter.length;
  return isPrefix ? raised(after) : behind(after);
}

async function entryPaths(
  db: Executor,
  bucketId: string,
  { prefix, delimiter, limit }: ObjectRange,
  start: string,
): Promise<string[]> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter;
  const [position, character] = isPostgres ? ['strpos', 'chr'] : ['instr', 'char'];
  const end = prefix === '' ? null : raised(prefix);
  const before = end === null ? sql`` : sql`and path < ${end}`;
  const first = (from: ReturnType<typeof sql>) => sql`(select path from files
    where bucket_id = ${bucketId} and superseded_at is null and path >= ${from} ${before}
    order by path limit 1)`;
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
