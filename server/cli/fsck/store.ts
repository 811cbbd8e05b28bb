import type { FileStatus } from '../../contract/wire.ts';
import type { TransformRow } from '../../features/delivery/transforms/tables.ts';
import type { MediaFileRow } from '../../features/files/tables.ts';
import type { Executor } from '../../platform/db/port.ts';
import type { JobRow } from '../../platform/queue/tables.ts';
import type { PendingDeleteRow } from '../../platform/storage/tables.ts';

export const PAGE_SIZE = 500;
const MEDIA_JOBS = ['image', 'video', 'background-image', 'background-video'];

export type AuditedFile = Pick<
  MediaFileRow,
  'id' | 'prefix' | 'blob_id' | 'entry' | 'poster' | 'previews' | 'stored_bytes'
> & {
  /** Null for a file that is not processed. */
  status: FileStatus | null;
  blob_prefix: string | null;
  blob_key: string | null;
  blob_size: number | null;
};

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

/** @param after the id before all files; PostgreSQL can't infer from the join which media it need not read */
const files = (db: Executor, after = '') =>
  db
    .selectFrom('files')
    .leftJoin('media', (join) =>
      join.onRef('media.file_id', '=', 'files.id').on('media.file_id', '>', after),
    )
    .leftJoin('blobs', 'blobs.id', 'files.blob_id')
    .select(['files.id', 'files.blob_id', 'files.stored_bytes'])
    .select(['blobs.prefix as blob_prefix', 'blobs.object_key as blob_key'])
    .select('blobs.size as blob_size')
    .select(['media.status', 'media.prefix', 'media.entry', 'media.poster', 'media.previews'])
    .where('files.file_type', '!=', 'folder')
    .where('files.id', '>', after);

export const allFiles = (db: Executor): AsyncGenerator<AuditedFile> =>
  paged(
    (after) => files(db, after).orderBy('files.id').limit(PAGE_SIZE).execute(),
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
