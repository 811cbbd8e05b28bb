import { sql } from 'kysely';
import { DAY } from '../../contract/limits.ts';
import type { Database, Tx } from '../../platform/db/port.ts';
import { inSlices } from '../../platform/slices.ts';
import { dayOf } from './periods.ts';
import { addToDays, addToFiles, type DayChange } from './store.ts';
import type { UsageDayRow } from './tables.ts';

/** How long the daily bandwidth of a file is kept. */
const FILE_DAY_RETENTION_MS = 90 * DAY;
/** How long the days of buckets are kept, which is how far back a chart can go. */
const DAY_RETENTION_MS = 800 * DAY;

/**
 * Keeps the tables bounded: days too old to be charted become one row, day 0, which holds the sums
 * that later days build on. Each slice moves some days and leaves the sums as they were.
 */
export async function foldOldDays(
  database: Database,
  now: number,
  signal?: AbortSignal,
): Promise<void> {
  const fileDays = dayOf(now - FILE_DAY_RETENTION_MS);
  const bucketDays = dayOf(now - DAY_RETENTION_MS);
  const fold = (slice: (tx: Tx, limit: number) => Promise<number>) =>
    inSlices((limit) => database.transaction((tx) => slice(tx, limit)), signal);
  const { engine } = database;
  await fold((tx, limit) => foldFiles(engine, tx, 'file_bandwidth', { before: fileDays, limit }));
  await fold((tx, limit) => foldFiles(engine, tx, 'file_growth', { before: bucketDays, limit }));
  await fold((tx, limit) => foldBuckets(tx, bucketDays, limit));
}

/**
 * Moves the oldest days of files to day 0, and returns how many were found. Those of deleted files are
 * dropped. The files are locked first: a deletion that waits for their days would not see the new ones.
 */
async function foldFiles(
  engine: Database['engine'],
  tx: Tx,
  table: 'file_bandwidth' | 'file_growth',
  { before, limit }: { before: number; limit: number },
): Promise<number> {
  const found = await tx
    .selectFrom(table)
    .select(['file_id', 'day'])
    .where('day', '>', 0)
    .where('day', '<', before)
    .orderBy('day')
    .limit(limit)
    .execute();
  const last = found.at(-1);
  if (last === undefined) return 0;
  const ids = [...new Set(found.map(({ file_id }) => file_id))];
  const query = tx.selectFrom('files').select('id').where('id', 'in', ids).orderBy('id');
  const files = await (engine === 'postgres' ? query.forKeyShare() : query).execute();
  const days = await tx
    .deleteFrom(table)
    .where('file_id', 'in', ids)
    .where('day', '>', 0)
    .where('day', '<=', last.day)
    .returning(['file_id', 'bytes'])
    .execute();
  const sums = new Map<string, number>();
  for (const { file_id, bytes } of days) sums.set(file_id, (sums.get(file_id) ?? 0) + bytes);
  const rows = files.flatMap(({ id }) => {
    const bytes = sums.get(id);
    return bytes === undefined ? [] : [{ file_id: id, day: 0, bytes }];
  });
  await addToFiles(tx, table, rows);
  return found.length;
}

/** Moves the oldest days of buckets to day 0, and returns how many. */
async function foldBuckets(tx: Tx, before: number, limit: number): Promise<number> {
  const days = await takeOldDays(tx, before, limit);
  const sums = new Map<string, Required<DayChange>>();
  for (const row of days) {
    const sum = sums.get(row.bucket_id);
    sums.set(row.bucket_id, {
      bucket_id: row.bucket_id,
      day: 0,
      bandwidth: row.bandwidth + (sum?.bandwidth ?? 0),
      uploaded: row.uploaded + (sum?.uploaded ?? 0),
      stored: row.stored + (sum?.stored ?? 0),
      kept: row.kept + (sum?.kept ?? 0),
      removed: row.removed + (sum?.removed ?? 0),
      requests: row.requests + (sum?.requests ?? 0),
      cached_requests: row.cached_requests + (sum?.cached_requests ?? 0),
    });
  }
  if (sums.size === 0) return 0;
  const ids = [...sums.keys()].sort();
  await addToDays(
    tx,
    ids.flatMap((id) => sums.get(id) ?? []),
  );
  // The sums of a deleted bucket are deleted only when no later day of the bucket builds on them.
  await sql`
    delete from usage_days where day = 0 and bucket_id in (${sql.join(ids)})
    and not exists (select 1 from buckets where id = usage_days.bucket_id)
    and not exists (
      select 1 from usage_days as later
      where later.bucket_id = usage_days.bucket_id and later.day > 0
    )`.execute(tx);
  return days.length;
}

/** Deletes and returns the oldest days of buckets. Two processes never get the same day. */
async function takeOldDays(tx: Tx, before: number, limit: number): Promise<UsageDayRow[]> {
  const { rows } = await sql<UsageDayRow>`
    delete from usage_days where (bucket_id, day) in (
      select bucket_id, day from usage_days where day > 0 and day < ${before}
      order by day limit ${limit}
    ) returning *`.execute(tx);
  return rows;
}
