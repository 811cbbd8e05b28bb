import { sql } from 'kysely';
import {
  parseSizePosition,
  type SortOrder,
  sizePosition,
} from '../../../contract/files/file-order.ts';
import { type Executor, isOnPostgres } from '../../../platform/db/port.ts';
import { behindFolder, behindPath } from './bounds.ts';

/** An entry of a folder: a file, or a folder, whose path ends in '/'. */
export type FolderEntry = { path: string; isFolder: boolean };
/** An entry of a folder that is sorted by size or date, with its position in that order; a folder's is its path. */
export type SortedEntry = FolderEntry & { position: string };

/** How many entries a folder may have to be sorted by size or date, for which no folder has an index. */
export const MAX_SORTED_ENTRIES = 10_000;

/** No path is so long, so all are before this. */
const BEHIND_ALL = '\u{10ffff}'.repeat(257);

type Range = { prefix: string; after: FolderEntry | null; limit: number; order?: SortOrder };

/**
 * Returns the first entries of a folder behind another one, in the byte order of their paths. Each costs one or two
 * lookups by the unique index, however many files are in the folders below.
 * @param range.prefix the folder, which ends in '/'; '' for the top
 * @param range.after the entry behind which the list goes on; null for the first page
 */
export async function folderEntries(
  db: Executor,
  bucketId: string,
  range: Range,
): Promise<FolderEntry[]> {
  const { entries, path, isFolder } = entryTable(db, bucketId, range);
  const { rows } = await sql<{ path: string; is_folder: number }>`
    with recursive ${entries}
    select ${path} as path, ${isFolder} as is_folder
    from entry where path is not null order by number`.execute(db);
  return rows.map((row) => ({ path: row.path, isFolder: row.is_folder === 1 }));
}

/**
 * Returns the first entries of a folder behind a position, by size or by date: its folders by name, then its files.
 * Null where the folder has more than MAX_SORTED_ENTRIES, which are all looked up for each page.
 * @param range.after the folder or the position of the file behind which the list goes on; null for the first page
 */
export async function sortedFolderEntries(
  db: Executor,
  bucketId: string,
  range: {
    prefix: string;
    sort: 'size' | 'date';
    order: SortOrder;
    after: { isFolder: boolean; position: string } | null;
    limit: number;
  },
): Promise<SortedEntry[] | null> {
  const { prefix, sort, order, after, limit } = range;
  const all = { prefix, after: null, limit: MAX_SORTED_ENTRIES + 1 };
  const { entries, path, isFolder } = entryTable(db, bucketId, all);
  const direction = order === 'asc' ? 'asc' : 'desc';
  const key = sql.raw(sort === 'size' ? 'files.size, files.id' : 'files.id');
  const byKey = sql.raw(
    sort === 'size' ? `files.size ${direction}, files.id ${direction}` : `files.id ${direction}`,
  );
  const { rows } = await sql<{
    path: string | null;
    is_folder: number;
    id: string;
    size: number;
    entries: number;
  }>`
    with recursive ${entries},
    listed as (select ${path} as path, ${isFolder} as is_folder from entry where path is not null)
    select listed.path, listed.is_folder, files.id, files.size,
      (select count(*) from listed) as entries
    from listed left join files on listed.is_folder = 0 and files.bucket_id = ${bucketId}
      and files.superseded_at is null and files.path = listed.path
    where ${behind(after, sort, order, key)}
    order by listed.is_folder desc, case when listed.is_folder = 1 then listed.path end, ${byKey}
    limit ${limit}`.execute(db);
  if ((rows[0]?.entries ?? 0) > MAX_SORTED_ENTRIES) return null;
  return rows.flatMap(({ path, is_folder, id, size }) => {
    if (path === null || (is_folder === 0 && id === null)) return [];
    const position = is_folder === 1 ? path : sort === 'size' ? sizePosition(size, id) : id;
    return { path, isFolder: is_folder === 1, position };
  });
}

function behind(
  after: { isFolder: boolean; position: string } | null,
  sort: 'size' | 'date',
  order: SortOrder,
  key: ReturnType<typeof sql>,
) {
  if (after === null) return sql`1 = 1`;
  if (after.isFolder) return sql`(listed.is_folder = 0 or listed.path > ${after.position})`;
  const operator = sql.raw(order === 'asc' ? '>' : '<');
  const { size, id } = parseSizePosition(after.position);
  const value = sort === 'size' ? sql`${size}, ${id}` : sql`${after.position}`;
  return sql`listed.is_folder = 0 and (${key}) ${operator} (${value})`;
}

/** Returns the table of a folder's entries, to use behind `with recursive`, and what it says of an entry. */
function entryTable(db: Executor, bucketId: string, { prefix, after, limit, order }: Range) {
  const isPostgres = isOnPostgres(db);
  const [position, character] = isPostgres ? ['strpos', 'chr'] : ['instr', 'char'];
  const isDescending = order === 'desc';
  const start = isDescending
    ? (after?.path ?? (prefix === '' ? BEHIND_ALL : behindFolder(prefix)))
    : after === null
      ? prefix && behindPath(prefix)
      : after.isFolder
        ? behindFolder(after.path)
        : behindPath(after.path);
  const inFolder =
    prefix === ''
      ? sql``
      : isDescending
        ? sql`and path > ${prefix}`
        : sql`and path < ${behindFolder(prefix)}`;
  const first = (from: ReturnType<typeof sql>) => sql`(select path from files
    where bucket_id = ${bucketId} and superseded_at is null
      and path ${sql.raw(isDescending ? '<' : '>=')} ${from} ${inFolder}
    order by path ${sql.raw(isDescending ? 'desc' : 'asc')} limit 1)`;
  const length = sql`length(cast(${prefix} as text))`;
  const slash = sql`${sql.raw(position ?? '')}(substr(entry.path, ${length} + 1), '/')`;
  const next = isDescending
    ? sql`case when ${slash} > 0 then substr(entry.path, 1, ${length} + ${slash}) else entry.path end`
    : sql`case when ${slash} > 0
        then substr(entry.path, 1, ${length} + ${slash} - 1) || '0'
        else entry.path || ${sql.raw(character ?? '')}(1) end`;
  return {
    entries: sql`entry(path, number) as (
      select ${first(sql`cast(${start} as text)`)}, 1
      union all
      select ${first(next)}, number + 1 from entry where path is not null and number < ${limit}
    )`,
    path: sql`case when ${slash} > 0 then substr(entry.path, 1, ${length} + ${slash}) else entry.path end`,
    isFolder: sql`case when ${slash} > 0 then 1 else 0 end`,
  };
}
