import { sql } from 'kysely';
import type { Database, Executor, Tx } from '../../../platform/db/port.ts';
import type { BucketCounts } from './file-counts.ts';
import { mergeCounts } from './ranking.ts';

/** How many files of a bucket are kept for each day. */
const MAX_DAY_FILES = 50;

/** A file with its requests in a range of days, and the bytes that were sent of it. */
export type TopFileRow = {
  id: string;
  name: string;
  requests: number;
  bytes: number;
  /** How many requests at most are missing. */
  missed: number;
};

/**
 * Returns which of these buckets there are. They stay until the transaction ends, because a deletion that waited for the
 * rows of a bucket while these wait for the bucket would be a deadlock.
 */
export async function lockBuckets(
  engine: Database['engine'],
  tx: Tx,
  ids: string[],
): Promise<Set<string>> {
  const query = tx.selectFrom('buckets').select('id').where('id', 'in', ids).orderBy('id');
  const rows = await (engine === 'postgres' ? query.forKeyShare() : query).execute();
  return new Set(rows.map(({ id }) => id));
}

/** Adds to the counts of a bucket's day, of which those with the most requests stay. */
export async function addFileRequests(
  tx: Tx,
  { bucketId, day, files }: BucketCounts,
): Promise<void> {
  const rows = await tx
    .selectFrom('file_requests')
    .select(['file_id', 'requests', 'bytes', 'missed'])
    .where('bucket_id', '=', bucketId)
    .where('day', '=', day)
    .execute();
  const before = new Map(rows.map(({ file_id, ...count }) => [file_id, count]));
  const ranking = mergeCounts(before, files, MAX_DAY_FILES);
  const added = [...files].flatMap(([file_id, { requests, bytes, missed }]) => {
    const count = ranking.get(file_id);
    if (!count) return [];
    const isNew = !before.has(file_id);
    const row = { bucket_id: bucketId, day, file_id, requests, bytes };
    return [{ ...row, missed: isNew ? count.missed : missed }];
  });
  added.sort((a, b) => (a.file_id < b.file_id ? -1 : 1));
  if (added.length > 0) {
    await tx
      .insertInto('file_requests')
      .values(added)
      .onConflict((conflict) =>
        conflict.columns(['bucket_id', 'day', 'file_id']).doUpdateSet(({ ref, eb }) => ({
          requests: eb('file_requests.requests', '+', ref('excluded.requests')),
          bytes: eb('file_requests.bytes', '+', ref('excluded.bytes')),
          missed: eb('file_requests.missed', '+', ref('excluded.missed')),
        })),
      )
      .execute();
  }
  const dropped = [...before.keys()].filter((id) => !ranking.has(id));
  if (dropped.length > 0) await dropFileRequests(tx, { bucketId, day, fileIds: dropped });
}

/** Deletes the counts of files of a bucket's day. */
export async function dropFileRequests(
  tx: Tx,
  { bucketId, day, fileIds }: Omit<BucketCounts, 'files'> & { fileIds: string[] },
): Promise<void> {
  await tx
    .deleteFrom('file_requests')
    .where('bucket_id', '=', bucketId)
    .where('day', '=', day)
    .where('file_id', 'in', fileIds)
    .execute();
}

/**
 * Returns the files of a bucket with the most requests on the days from `from` to `to`, the first one first. Files
 * that are deleted or replaced by now are left out.
 */
export async function topFiles(
  db: Executor,
  bucketId: string,
  { from, to, limit }: { from: number; to: number; limit: number },
): Promise<TopFileRow[]> {
  const { rows } = await sql<TopFileRow>`
    select files.id, files.name, counted.requests, counted.bytes, counted.missed
    from (
      select file_id, sum(requests) as requests, sum(bytes) as bytes, sum(missed) as missed
      from file_requests
      where bucket_id = ${bucketId} and day >= ${from} and day <= ${to}
      group by file_id having sum(requests) > 0
    ) as counted
    join files on files.id = counted.file_id
      and files.bucket_id = ${bucketId} and files.superseded_at is null
    order by counted.requests desc, files.id limit ${limit}`.execute(db);
  return rows;
}

/** Deletes the counts of days before a day, the oldest first, and returns how many. */
export async function deleteFileRequests(tx: Tx, before: number, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from file_requests where (bucket_id, day, file_id) in (
      select bucket_id, day, file_id from file_requests where day < ${before}
      order by day limit ${limit}
    )`.execute(tx);
  return Number(numAffectedRows ?? 0n);
}
