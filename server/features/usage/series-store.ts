import { sql } from 'kysely';
import type { Executor } from '../../platform/db/port.ts';
import { allDays } from './changes-store.ts';
import type { UsageDayRow } from './tables.ts';

/** Returns the days of a bucket with any usage, from `from` to `to` inclusive, in order. */
export async function daysOf(
  db: Executor,
  bucketId: string,
  from: number,
  to: number,
): Promise<UsageDayRow[]> {
  const { rows } = await sql<UsageDayRow>`
    select bucket_id, day, sum(bandwidth) as bandwidth, sum(uploaded) as uploaded,
      sum(stored) as stored, sum(kept) as kept, sum(removed) as removed,
      sum(requests) as requests, sum(cached_requests) as cached_requests
    from ${allDays} as days
    where bucket_id = ${bucketId} and day >= ${from} and day <= ${to}
    group by bucket_id, day order by day`.execute(db);
  return rows;
}

/**
 * Returns the bytes that were stored when a day started: of all files, and of those that still
 * exist.
 */
export async function storedBefore(
  db: Executor,
  bucketId: string,
  day: number,
): Promise<{ stored: number; kept: number }> {
  const { rows } = await sql<{ stored: number; kept: number }>`
    select coalesce(sum(stored), 0) as stored, coalesce(sum(kept), 0) as kept
    from ${allDays} as days where bucket_id = ${bucketId} and day < ${day}`.execute(db);
  return rows[0] ?? { stored: 0, kept: 0 };
}

/** Returns the bytes sent since a day by bucket. Buckets that sent nothing are missing. */
export async function bandwidthSince(
  db: Executor,
  bucketIds: string[],
  day: number,
): Promise<Map<string, number>> {
  if (bucketIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('usage_days')
    .select(({ fn }) => ['bucket_id', fn.sum<number>('bandwidth').as('bytes')])
    .where('bucket_id', 'in', bucketIds)
    .where('day', '>=', day)
    .groupBy('bucket_id')
    .execute();
  return new Map(rows.map((row) => [row.bucket_id, row.bytes]));
}

/** Returns the requests for files of a bucket since a day, and how many of them were answered from a cache. */
export async function requestsSince(
  db: Executor,
  bucketId: string,
  day: number,
): Promise<{ requests: number; cached: number }> {
  return db
    .selectFrom('usage_days')
    .select(({ fn, lit }) => [
      fn.coalesce(fn.sum<number>('requests'), lit(0)).as('requests'),
      fn.coalesce(fn.sum<number>('cached_requests'), lit(0)).as('cached'),
    ])
    .where('bucket_id', '=', bucketId)
    .where('day', '>=', day)
    .executeTakeFirstOrThrow();
}

/**
 * Returns what changed since a day over the buckets that an account has now, by day, in order. Days without change
 * are missing.
 * @param maxBuckets how many buckets are added up, of which the newest come first
 */
export async function accountDays(
  db: Executor,
  userId: string,
  { from, maxBuckets }: { from: number; maxBuckets: number },
): Promise<AccountDay[]> {
  return db
    .selectFrom('usage_days')
    .select(({ fn }) => [
      'day',
      fn.sum<number>('bandwidth').as('bandwidth'),
      fn.sum<number>('stored').as('stored'),
      fn.sum<number>('requests').as('requests'),
    ])
    .where('bucket_id', 'in', ({ selectFrom }) =>
      selectFrom('buckets')
        .select('id')
        .where('user_id', '=', userId)
        .orderBy('id', 'desc')
        .limit(maxBuckets),
    )
    .where('day', '>=', from)
    .groupBy('day')
    .orderBy('day')
    .execute();
}

/**
 * What all buckets of an account have sent on a day, how many more bytes they store at its end, both in bytes, and the
 * requests for their files.
 */
export type AccountDay = Pick<UsageDayRow, 'day' | 'bandwidth' | 'stored' | 'requests'>;

/** Returns the bytes of a file that were sent since a day, and in total. */
export async function fileBandwidth(db: Executor, fileId: string, day: number) {
  return db
    .selectFrom('file_bandwidth')
    .select(({ fn, lit, eb }) => [
      fn.coalesce(fn.sum<number>('bytes'), lit(0)).as('total'),
      fn
        .coalesce(
          fn.sum<number>(eb.case().when('day', '>=', day).then(eb.ref('bytes')).else(lit(0)).end()),
          lit(0),
        )
        .as('month'),
    ])
    .where('file_id', '=', fileId)
    .executeTakeFirstOrThrow();
}
