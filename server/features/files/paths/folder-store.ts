import { PostgresAdapter, sql } from 'kysely';
import type { Executor } from '../../../platform/db/port.ts';

/** An entry of a folder: a file, or a folder, whose path ends in '/'. */
export type FolderEntry = { path: string; isFolder: boolean };

/** No path has a control character, so this is behind every path that begins like `path`, and before the next. */
const behindFile = (path: string) => `${path}\u0001`;
/** '0' is the character after '/'. */
const behindFolder = (path: string) => `${path.slice(0, -1)}0`;

/**
 * Returns the first entries of a folder behind another one, in the byte order of their paths. Each costs one or two
 * lookups by the unique index, however many files are in the folders below.
 * @param prefix the folder, which ends in '/'; '' for the top
 * @param after the entry behind which the list goes on; null for the first page
 */
export async function folderEntries(
  db: Executor,
  bucketId: string,
  { prefix, after, limit }: { prefix: string; after: FolderEntry | null; limit: number },
): Promise<FolderEntry[]> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter;
  const [position, character] = isPostgres ? ['strpos', 'chr'] : ['instr', 'char'];
  const start = after
    ? after.isFolder
      ? behindFolder(after.path)
      : behindFile(after.path)
    : prefix;
  const inFolder = prefix === '' ? sql`` : sql`and path < ${behindFolder(prefix)}`;
  const first = (from: ReturnType<typeof sql>) => sql`(select path from files
    where bucket_id = ${bucketId} and superseded_at is null and path >= ${from} ${inFolder}
    order by path limit 1)`;
  const length = sql`length(cast(${prefix} as text))`;
  const slash = sql`${sql.raw(position ?? '')}(substr(entry.path, ${length} + 1), '/')`;
  const next = sql`case when ${slash} > 0
    then substr(entry.path, 1, ${length} + ${slash} - 1) || '0'
    else entry.path || ${sql.raw(character ?? '')}(1) end`;
  const { rows } = await sql<{ path: string; is_folder: number }>`
    with recursive entry(path, number) as (
      select ${first(sql`cast(${start} as text)`)}, 1
      union all
      select ${first(next)}, number + 1 from entry where path is not null and number < ${limit}
    )
    select case when ${slash} > 0 then substr(entry.path, 1, ${length} + ${slash}) else entry.path end as path,
      case when ${slash} > 0 then 1 else 0 end as is_folder
    from entry where path is not null order by number`.execute(db);
  return rows.map(({ path, is_folder }) => ({ path, isFolder: is_folder === 1 }));
}
