import type { GeneratedImageRow } from '../../features/delivery/transforms/tables.ts';
import type { FileRow } from '../../features/files/tables.ts';
import type { Executor } from '../../platform/db/port.ts';
import type { JobRow } from '../../platform/queue/tables.ts';
import type { PendingDeleteRow } from '../../platform/storage/tables.ts';

export const PAGE_SIZE = 500;
const MEDIA_JOBS = ['image', 'video', 'background-video'];

export type AuditedFile = Pick<
  FileRow,
  'id' | 'status' | 'prefix' | 'source_prefix' | 'entry' | 'poster' | 'previews' | 'stored_bytes'
>;

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
 * Returns those of the prefixes that a file has or a pending delete will remove. It is one
 * statement, so that a prefix which moves from one to the other meanwhile is found in either.
 */
export async function knownPrefixes(db: Executor, prefixes: string[]): Promise<Set<string>> {
  if (prefixes.length === 0) return new Set();
  const rows = await db
    .selectFrom('pending_deletes')
    .select('prefix')
    .where('prefix', 'in', prefixes)
    .union(
      db
        .selectFrom('files')
        .select('prefix')
        .where('prefix', 'in', prefixes)
        .$castTo<{ prefix: string }>(),
    )
    .union(
      db
        .selectFrom('files')
        .select('source_prefix as prefix')
        .where('source_prefix', 'in', prefixes)
        .$castTo<{ prefix: string }>(),
    )
    .union(db.selectFrom('derivatives').select('prefix').where('prefix', 'in', prefixes))
    .execute();
  return new Set(rows.map((row) => row.prefix));
}

const files = (db: Executor) =>
  db
    .selectFrom('files')
    .select([
      'id',
      'status',
      'prefix',
      'source_prefix',
      'entry',
      'poster',
      'previews',
      'stored_bytes',
    ]);

export const allFiles = (db: Executor): AsyncGenerator<AuditedFile> =>
  paged(
    (after) => files(db).where('id', '>', after).orderBy('id').limit(PAGE_SIZE).execute(),
    (row) => row.id,
  );

export const fileById = (db: Executor, id: string): Promise<AuditedFile | undefined> =>
  files(db).where('id', '=', id).executeTakeFirst();

/** Returns the generated images of a file. Their number per file is limited. */
export const derivativesOf = (
  db: Executor,
  fileId: string,
): Promise<Pick<GeneratedImageRow, 'prefix' | 'name' | 'bytes'>[]> =>
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

/** Yields the deletes that were due, or had started, before a time (epoch milliseconds). */
export const findDueDeletes = (db: Executor, before: number): AsyncGenerator<PendingDeleteRow> =>
  paged(
    (after) =>
      db
        .selectFrom('pending_deletes')
        .selectAll()
        .where((row) => row.between('not_before', -before, before))
        .where('prefix', '>', after)
        .orderBy('prefix')
        .limit(PAGE_SIZE)
        .execute(),
    (row) => row.prefix,
  );
