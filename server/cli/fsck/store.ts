import type { TransformRow } from '../../features/delivery/transforms/tables.ts';
import type { MediaFileRow } from '../../features/files/tables.ts';
import type { Executor } from '../../platform/db/port.ts';
import type { JobRow } from '../../platform/queue/tables.ts';
import type { PendingDeleteRow } from '../../platform/storage/tables.ts';

export const PAGE_SIZE = 500;
const MEDIA_JOBS = ['image', 'video', 'background-image', 'background-video'];

export type AuditedFile = Pick<
  MediaFileRow,
  'id' | 'status' | 'prefix' | 'blob_id' | 'entry' | 'poster' | 'previews' | 'stored_bytes'
> & { blob_prefix: string | null };

/** Yields the rows of a query page by page, because a whole table may not fit into memory. */
export async function* paged<Row>(
  read: (after: string) => Promise<Row[]>,
  keyOf: (row: Row) => string,
): AsyncGenerator<Row> {
  let after = '';
  for (;;) {
    const rows = await read(after);
    yield* rows;
    const last = rows.at(-1);
    if (!last || rows.length < PAGE_SIZE) return;
    after = keyOf(last);
  }
}

/**
 * Yields the prefix of everything that rows name, or that a pending delete will remove. Pending deletes are
 * read again at the end, because files and uploads move to them when they are deleted.
 */
export async function* allPrefixes(db: Executor): AsyncGenerator<string> {
  yield* pendingPrefixes(db);
  for await (const { prefix } of allFiles(db)) if (prefix) yield prefix;
  for (const table of ['blobs', 'derivatives'] as const) {
    for await (const { prefix } of prefixesOf(db, table)) yield prefix;
  }
  yield* pendingPrefixes(db);
}

async function* pendingPrefixes(db: Executor): AsyncGenerator<string> {
  const rows = paged(
    (after) =>
      db
        .selectFrom('pending_deletes')
        .select('prefix')
        .where('prefix', '>', after)
        .orderBy('prefix')
        .limit(PAGE_SIZE)
        .execute(),
    (row) => row.prefix,
  );
  // What is deleted as a single object belongs to no row, or lies below the prefix of one.
  for await (const { prefix } of rows) if (prefix.endsWith('/')) yield prefix;
}

/** Returns the keys of the objects below a prefix that will be deleted one by one. */
export async function pendingKeys(db: Executor, prefix: string): Promise<string[]> {
  const rows = await db
    .selectFrom('pending_deletes')
    .select('prefix')
    .where('prefix', '>', prefix)
    // '0' is the character after '/'.
    .where('prefix', '<', `${prefix.slice(0, -1)}0`)
    .execute();
  return rows.map((row) => row.prefix).filter((key) => !key.endsWith('/'));
}

/** Yields the prefix of each row of a table whose objects are below one. */
const prefixesOf = (db: Executor, table: 'blobs' | 'derivatives') =>
  paged(
    (after) =>
      db
        .selectFrom(table)
        .select(['id', 'prefix'])
        .where('id', '>', after)
        .orderBy('id')
        .limit(PAGE_SIZE)
        .execute(),
    (row) => row.id,
  );

/** Returns the blobs that another number of files name than they count. */
export const miscountedBlobs = (db: Executor) =>
  db
    .selectFrom('blobs')
    .leftJoin('files', 'files.blob_id', 'blobs.id')
    .select((row) => ['blobs.id', 'blobs.refs', row.fn.count<number>('files.id').as('files')])
    .groupBy(['blobs.id', 'blobs.refs'])
    .having((row) => row('blobs.refs', '!=', row.fn.count<number>('files.id')))
    .execute();

const files = (db: Executor) =>
  db
    .selectFrom('files')
    .innerJoin('media', 'media.file_id', 'files.id')
    .leftJoin('blobs', 'blobs.id', 'files.blob_id')
    .select(['files.id', 'files.blob_id', 'files.stored_bytes', 'blobs.prefix as blob_prefix'])
    .select(['media.status', 'media.prefix', 'media.entry', 'media.poster', 'media.previews']);

export const allFiles = (db: Executor): AsyncGenerator<AuditedFile> =>
  paged(
    (after) =>
      files(db)
        .where('files.id', '>', after)
        // PostgreSQL would read all media before it, which it can't infer from the join.
        .where('file_id', '>', after)
        .orderBy('files.id')
        .limit(PAGE_SIZE)
        .execute(),
    (row) => row.id,
  );

export const fileById = (db: Executor, id: string): Promise<AuditedFile | undefined> =>
  files(db).where('files.id', '=', id).executeTakeFirst();

/** Returns the generated images of a file. Their number per file is limited. */
export const listTransforms = (
  db: Executor,
  fileId: string,
): Promise<Pick<TransformRow, 'prefix' | 'name' | 'bytes'>[]> =>
  db
    .selectFrom('derivatives')
    .select(['prefix', 'name', 'bytes'])
    .where('file_id', '=', fileId)
    .execute();

const mediaJobs = (db: Executor) =>
  db
    .selectFrom('jobs')
    .select(['id', 'kind', 'subject', 'payload'])
    .where('kind', 'in', MEDIA_JOBS)
    .where('state', 'in', ['queued', 'running']);

export const waitingMediaJobs = (
  db: Executor,
): AsyncGenerator<Pick<JobRow, 'id' | 'kind' | 'subject' | 'payload'>> =>
  paged(
    (after) => mediaJobs(db).where('id', '>', after).orderBy('id').limit(PAGE_SIZE).execute(),
    (row) => row.id,
  );

export const isWaiting = async (db: Executor, id: string): Promise<boolean> =>
  (await mediaJobs(db).where('id', '=', id).executeTakeFirst()) !== undefined;

/**
 * Returns the buckets whose totals differ from the sums over their files. Buckets that are being
 * deleted don't count.
 */
export const miscountedBuckets = (db: Executor) =>
  db
    .selectFrom('buckets')
    .leftJoin('files', 'files.bucket_id', 'buckets.id')
    .select((row) => [
      'buckets.id',
      'buckets.usage',
      'buckets.total_uploads',
      row.fn.coalesce(row.fn.sum<number>('files.stored_bytes'), row.lit(0)).as('bytes'),
      row.fn.count<number>('files.id').as('files'),
    ])
    .where('buckets.status', '!=', 'deleting')
    .groupBy(['buckets.id', 'buckets.usage', 'buckets.total_uploads'])
    .having((row) =>
      row.or([
        row(
          'buckets.usage',
          '!=',
          row.fn.coalesce(row.fn.sum<number>('files.stored_bytes'), row.lit(0)),
        ),
        row('buckets.total_uploads', '!=', row.fn.count<number>('files.id')),
      ]),
    )
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
    .leftJoin(
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
    .select('totals.user_id')
    .where((row) =>
      row.or(
        (['buckets', 'files', 'bytes'] as const).map((count) =>
          row(`totals.${count}`, '!=', row.fn.coalesce(`sums.${count}`, row.lit(0))),
        ),
      ),
    )
    .execute();

/**
 * Yields the deletes that were due before a time (epoch milliseconds), and those that have failed since then: a
 * storage that was away for a moment is no finding, as they are tried again within minutes.
 */
export const overdueDeletes = (db: Executor, before: number): AsyncGenerator<PendingDeleteRow> =>
  paged(
    (after) =>
      db
        .selectFrom('pending_deletes')
        .selectAll()
        .where((row) =>
          row.or([
            row('not_before', '<=', before),
            row.and([row('failures', '>', 0), row('started_at', '<=', before)]),
          ]),
        )
        .where('deleted_at', 'is', null)
        .where('prefix', '>', after)
        .orderBy('prefix')
        .limit(PAGE_SIZE)
        .execute(),
    (row) => row.prefix,
  );
