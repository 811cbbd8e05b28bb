import type { Executor } from '../../platform/db/port.ts';
import type { UsageDayRow } from './tables.ts';

/** Returns the days of a bucket with any usage, from `from` to `to` inclusive, in order. */
export async function daysOf(
  db: Executor,
  bucketId: string,
  from: number,
  to: number,
): Promise<UsageDayRow[]> {
  return db
    .selectFrom('usage_days')
    .selectAll()
    .where('bucket_id', '=', bucketId)
    .where('day', '>=', from)
    .where('day', '<=', to)
    .orderBy('day')
    .execute();
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
  return db
    .selectFrom('usage_days')
    .select(({ fn, lit }) => [
      fn.coalesce(fn.sum<number>('stored'), lit(0)).as('stored'),
      fn.coalesce(fn.sum<number>('kept'), lit(0)).as('kept'),
    ])
    .where('bucket_id', '=', bucketId)
    .where('day', '<', day)
    .executeTakeFirstOrThrow();
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
