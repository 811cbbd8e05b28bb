import type { Statement } from '../../platform/db/batch.ts';
import { inlineRead } from '../../platform/db/inline-read.ts';
import type { Executor, Tx } from '../../platform/db/port.ts';
import { prepareStatement } from '../../platform/db/prepare-statement.ts';
import type { FileDayRow, UsageDayRow, UsageFlushRow, UsageHourRow } from './tables.ts';

/** How many rows one statement writes, as both engines bound the number of its parameters. */
const WRITE_BATCH_SIZE = 500;

function* batches<Row>(rows: Row[]) {
  for (let at = 0; at < rows.length; at += WRITE_BATCH_SIZE)
    yield rows.slice(at, at + WRITE_BATCH_SIZE);
}

type Columns = 'bandwidth' | 'uploaded';
type RequestColumns = 'requests' | 'cached_requests';
export type HourChange = Pick<UsageHourRow, 'user_id' | 'bucket_id' | 'hour'> &
  Partial<Pick<UsageHourRow, Columns | 'stored_change' | 'stored_gib_ms' | 'stored_byte_ms'>>;
export type DayChange = Pick<UsageDayRow, 'bucket_id' | 'day'> &
  Partial<Pick<UsageDayRow, Columns | 'stored' | 'kept' | 'removed' | RequestColumns>>;

const HOUR_ZERO = {
  bandwidth: 0,
  uploaded: 0,
  stored_change: 0,
  stored_gib_ms: 0,
  stored_byte_ms: 0,
};
const DAY_ZERO = {
  bandwidth: 0,
  uploaded: 0,
  stored: 0,
  kept: 0,
  removed: 0,
  requests: 0,
  cached_requests: 0,
};

/**
 * Adds to the usage of hours. The rows must be in the order of their keys, and a transaction adds to
 * hours before it adds to days, so that two writers never deadlock.
 */
export async function addToHours(tx: Tx, changes: HourChange[]): Promise<void> {
  for (const rows of batches(changes.map((row) => ({ ...HOUR_ZERO, ...row })))) {
    await hoursAdded(tx, rows).execute();
  }
}

/** Returns the statement that does the same for one hour, as every upload does. */
export const hourAddition = (db: Executor, change: HourChange): Statement => ({
  query: addHour.query(db, { ...HOUR_ZERO, ...change }),
});

const hoursAdded = (tx: Executor, rows: UsageHourRow[]) =>
  tx
    .insertInto('usage_hours')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['user_id', 'bucket_id', 'hour']).doUpdateSet(({ ref, eb }) => ({
        bandwidth: eb('usage_hours.bandwidth', '+', ref('excluded.bandwidth')),
        uploaded: eb('usage_hours.uploaded', '+', ref('excluded.uploaded')),
        stored_change: eb('usage_hours.stored_change', '+', ref('excluded.stored_change')),
        stored_gib_ms: eb('usage_hours.stored_gib_ms', '+', ref('excluded.stored_gib_ms')),
        stored_byte_ms: eb('usage_hours.stored_byte_ms', '+', ref('excluded.stored_byte_ms')),
      })),
    );

const addHour = prepareStatement((tx, row: UsageHourRow) => hoursAdded(tx, [row]));

/** Adds to the daily usage of buckets. */
export async function addToDays(tx: Tx, changes: DayChange[]): Promise<void> {
  for (const rows of batches(changes.map((row) => ({ ...DAY_ZERO, ...row })))) {
    await daysAdded(tx, rows).execute();
  }
}

/** Returns the statement that adds to the usage of a bucket on one day, as every upload does. */
export const dayAddition = (db: Executor, change: DayChange): Statement => ({
  query: addDay.query(db, { ...DAY_ZERO, ...change }),
});

const daysAdded = (tx: Executor, rows: UsageDayRow[]) =>
  tx
    .insertInto('usage_days')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['bucket_id', 'day']).doUpdateSet(({ ref, eb }) => ({
        bandwidth: eb('usage_days.bandwidth', '+', ref('excluded.bandwidth')),
        uploaded: eb('usage_days.uploaded', '+', ref('excluded.uploaded')),
        stored: eb('usage_days.stored', '+', ref('excluded.stored')),
        kept: eb('usage_days.kept', '+', ref('excluded.kept')),
        removed: eb('usage_days.removed', '+', ref('excluded.removed')),
        requests: eb('usage_days.requests', '+', ref('excluded.requests')),
        cached_requests: eb('usage_days.cached_requests', '+', ref('excluded.cached_requests')),
      })),
    );

const addDay = prepareStatement((tx, row: UsageDayRow) => daysAdded(tx, [row]));

/** Adds bytes to the daily values of files. */
export async function addToFiles(
  tx: Tx,
  table: 'file_bandwidth' | 'file_growth',
  changes: FileDayRow[],
): Promise<void> {
  for (const rows of batches(changes)) await filesAdded(tx, table, rows).execute();
}

/** Returns the statement that adds bytes by which a file grew on one day. */
export const growthAddition = (db: Executor, change: FileDayRow): Statement => ({
  query: addOneGrowth.query(db, change),
});

const filesAdded = (tx: Executor, table: 'file_bandwidth' | 'file_growth', rows: FileDayRow[]) =>
  tx
    .insertInto(table)
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['file_id', 'day']).doUpdateSet(({ ref, eb }) => ({
        bytes: eb(`${table}.bytes`, '+', ref('excluded.bytes')),
      })),
    );

const addOneGrowth = prepareStatement((tx, row: FileDayRow) =>
  filesAdded(tx, 'file_growth', [row]),
);

/** Stores the number of the last batch of a process. Returns false where the batch was written before. */
export async function claimFlush(tx: Tx, flush: UsageFlushRow): Promise<boolean> {
  const { number, written_at } = flush;
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('usage_flushes')
    .values(flush)
    .onConflict((conflict) =>
      conflict
        .column('process')
        .doUpdateSet({ number, written_at })
        .where('usage_flushes.number', '<', number),
    )
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows === 1n;
}

/** Deletes the rows of processes whose last batch is older. */
export async function forgetFlushes(db: Executor, before: number): Promise<void> {
  await db.deleteFrom('usage_flushes').where('written_at', '<', before).execute();
}

/** Returns how a file grew after its first day, day by day. */
export const growthOf = (tx: Tx, fileId: string): Promise<FileDayRow[]> =>
  tx.selectFrom('file_growth').where('file_id', '=', fileId).selectAll().orderBy('day').execute();

/** Deletes and returns how a file grew after its first day, day by day. */
export async function takeGrowth(tx: Tx, fileId: string): Promise<FileDayRow[]> {
  return tx.deleteFrom('file_growth').where('file_id', '=', fileId).returningAll().execute();
}

/** Deletes the daily values of files. */
export async function forgetFiles(tx: Tx, ids: string[]): Promise<void> {
  await tx.deleteFrom('file_growth').where('file_id', 'in', ids).execute();
  await tx.deleteFrom('file_bandwidth').where('file_id', 'in', ids).execute();
}

/** Returns the owners of buckets by the bucket's id. Buckets that are deleted are missing. */
export async function ownersOf(db: Executor, bucketIds: string[]): Promise<Map<string, string>> {
  const owners = new Map<string, string>();
  for (const ids of batches(bucketIds)) {
    const rows = await db
      .selectFrom('buckets')
      .select(['id', 'user_id'])
      .where('id', 'in', ids)
      .$call(inlineRead)
      .execute();
    for (const { id, user_id } of rows) owners.set(id, user_id);
  }
  return owners;
}
