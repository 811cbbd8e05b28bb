import { sql } from 'kysely';
import { bucketBytes, bucketCounters, bucketFiles } from '../../features/buckets/service.ts';
import type { Executor } from '../../platform/db/port.ts';

/** Deleted files that are kept, and earlier versions, have bytes but don't count as files. */
const currentFiles = sql<number>`count(case when files.superseded_at is null then files.id end)`;

/**
 * Returns the buckets whose totals differ from the sums over their files. Buckets that are being
 * deleted don't count.
 */
export const miscountedBuckets = (db: Executor) =>
  db
    .selectFrom('buckets')
    .leftJoin('files', (join) =>
      join.onRef('files.bucket_id', '=', 'buckets.id').on('files.file_type', '!=', 'folder'),
    )
    .select((row) => [
      'buckets.id',
      ...bucketCounters,
      row.fn.coalesce(row.fn.sum<number>('files.stored_bytes'), row.lit(0)).as('bytes'),
      currentFiles.as('files'),
    ])
    .where('buckets.status', '!=', 'deleting')
    .groupBy(['buckets.id', 'buckets.usage', 'buckets.total_uploads'])
    .having((row) =>
      row.or([
        row(
          bucketBytes,
          '!=',
          row.fn.coalesce(row.fn.sum<number>('files.stored_bytes'), row.lit(0)),
        ),
        row(bucketFiles, '!=', currentFiles),
      ]),
    )
    .execute();

/** Returns the ids of the buckets that have no primary key, which has the id of its bucket. */
export const bucketsWithoutKey = (db: Executor): Promise<{ id: string }[]> =>
  db
    .selectFrom('buckets')
    .leftJoin('api_keys', (join) =>
      join
        .onRef('api_keys.id', '=', 'buckets.id')
        .onRef('api_keys.bucket_id', '=', 'buckets.id')
        .on('api_keys.key_sealed', 'is not', null),
    )
    .select('buckets.id')
    .where('api_keys.id', 'is', null)
    .execute();

/** Returns the accounts whose totals differ from the sums over their buckets. */
export const miscountedAccounts = (db: Executor) =>
  db
    .selectFrom((from) =>
      from
        .selectFrom('account_totals')
        .select((row) => [
          'user_id',
          row.fn.sum<number>('buckets').as('buckets'),
          row.fn.sum<number>('files').as('files'),
          row.fn.sum<number>('bytes').as('bytes'),
        ])
        .groupBy('user_id')
        .as('totals'),
    )
    .fullJoin(
      (from) =>
        from
          .selectFrom('buckets')
          .select((row) => [
            'user_id',
            row.fn.countAll<number>().as('buckets'),
            row.fn.sum<number>('total_uploads').as('files'),
            row.fn.sum<number>('usage').as('bytes'),
          ])
          .groupBy('user_id')
          .as('sums'),
      (join) => join.onRef('sums.user_id', '=', 'totals.user_id'),
    )
    .select(({ fn }) => fn.coalesce('totals.user_id', 'sums.user_id').$notNull().as('user_id'))
    .where((row) =>
      row.or(
        (['buckets', 'files', 'bytes'] as const).map((count) =>
          row(
            row.fn.coalesce(`totals.${count}`, row.lit(0)),
            '!=',
            row.fn.coalesce(`sums.${count}`, row.lit(0)),
          ),
        ),
      ),
    )
    .execute();

/** Returns the blobs that another number of files name than they count, and those that no file names. */
export const miscountedBlobs = (db: Executor) =>
  db
    .selectFrom('blobs')
    .leftJoin('files', 'files.blob_id', 'blobs.id')
    .select((row) => ['blobs.id', 'blobs.refs', row.fn.count<number>('files.id').as('files')])
    .groupBy(['blobs.id', 'blobs.refs'])
    .having((row) =>
      row.or([
        row('blobs.refs', '!=', row.fn.count<number>('files.id')),
        row('blobs.refs', '=', 0),
      ]),
    )
    .execute();
