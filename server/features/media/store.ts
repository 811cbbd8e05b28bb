import { type RawBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import type { FileStatus } from '../../contract/wire.ts';
import type { Statement } from '../../platform/db/batch.ts';
import { type Executor, isOnPostgres, type SqlBoolean, type Tx } from '../../platform/db/port.ts';
import { prepareStatement } from '../../platform/db/prepare-statement.ts';
import type { Tables } from '../../platform/db/tables.ts';
import { type Media, NO_MEDIA } from './media.ts';
import type { MediaRow } from './tables.ts';

/*
 * Files are read with their media by one statement. Their stores join it as `OF_FILE`, and select and demand what is
 * named here.
 */

/** How a query joins files with their media, of which a file that is not processed has none. */
export const OF_FILE = ['media', 'media.file_id', 'files.id'] as const;

/** What was made of a file; all null for one that is not processed. The renditions of a video are long, and left out. */
export const MADE_COLUMNS = [
  sql<FileStatus | null>`media.status`.as('status'),
  sql<string | null>`media.prefix`.as('prefix'),
  sql<string | null>`media.entry`.as('entry'),
  sql<string | null>`case when files.file_type = 'image' then media.renditions end`.as(
    'renditions',
  ),
] as const;

/** The status of a file, also of one that is not processed. */
export const STATUS = sql<FileStatus>`coalesce(media.status, ${sql.lit(NO_MEDIA.status)})`.as(
  'status',
);

type Expression = RawBuilder<unknown>;

/** What is known of a file that is not processed by its bytes, and where these are. */
type Unprocessed = Record<
  'width' | 'height' | 'duration' | 'thumb_hash' | 'prefix' | 'entry',
  Expression
>;

/**
 * Returns all that is known of the media of files, under the names of `Media`; for a file that is not processed, the
 * given expressions take its place.
 */
export function mediaColumns({ width, height, duration, thumb_hash, prefix, entry }: Unprocessed) {
  const either = (made: Expression, other: Expression) =>
    sql<string | null>`case when media.file_id is null then ${other} else ${made} end`;
  return [
    ...(['media.error', 'media.warning', 'media.poster', 'media.previews'] as const),
    ...(['media.renditions', 'media.retry_until'] as const),
    STATUS,
    sql<number | null>`coalesce(media.width, ${width})`.as('width'),
    sql<number | null>`coalesce(media.height, ${height})`.as('height'),
    sql<number | null>`coalesce(media.duration, ${duration})`.as('duration'),
    sql<string | null>`coalesce(media.thumb_hash, ${thumb_hash})`.as('thumb_hash'),
    sql<SqlBoolean>`coalesce(media.playable, ${sql.lit(NO_MEDIA.playable)})`.as('playable'),
    sql<SqlBoolean>`coalesce(media.webp_skipped, ${sql.lit(NO_MEDIA.webp_skipped)})`.as(
      'webp_skipped',
    ),
    sql<SqlBoolean>`coalesce(media.is_turned, ${sql.lit(NO_MEDIA.is_turned)})`.as('is_turned'),
    either(sql`media.prefix`, prefix).as('prefix'),
    either(sql`media.entry`, entry).as('entry'),
  ] as const;
}

/** Whether a file that is joined with its media can still be published, also by a retry. */
export const MAY_BE_PUBLISHED = sql<SqlBool>`(media.status = 'processing' or media.retry_until is not null)`;

/** Whether a row of `files` is neither being processed nor has failed. */
export const IS_PUBLISHED = sql<SqlBool>`not exists (
  select file_id from media where media.file_id = files.id and media.status != 'success')`;

/** Returns whether the file with an id is being processed. */
export const isProcessing = (fileId: Expression) => sql<SqlBool>`exists (
  select file_id from media where media.file_id = ${fileId} and media.status = 'processing')`;

/** Returns the statement that inserts the media of a file. */
export const mediaInsertion = (db: Executor, row: MediaRow): Statement => ({
  query: insert.query(db, row),
});

const insert = prepareStatement((db, row: MediaRow) => db.insertInto('media').values(row));

/** Returns the media of a file; undefined where it is not processed. */
export async function mediaOf(db: Executor, fileId: string): Promise<MediaRow | undefined> {
  return db.selectFrom('media').selectAll().where('file_id', '=', fileId).executeTakeFirst();
}

/**
 * Returns the query that locks the media of files, which their deletion does before it locks their own rows. SQLite has
 * one writer, and needs no lock.
 */
export const lockedMedia = (
  db: Executor,
  fileIds: SelectQueryBuilder<Tables, 'files', { id: string }>,
) =>
  db
    .selectFrom('media')
    .select('file_id')
    .where('file_id', 'in', fileIds)
    .$if(isOnPostgres(db), (media) => media.forUpdate());

/** Deletes the media of a file, and returns it; undefined where it is not processed. */
export async function takeMedia(tx: Tx, fileId: string): Promise<Media | undefined> {
  const row = await tx
    .deleteFrom('media')
    .where('file_id', '=', fileId)
    .returningAll()
    .executeTakeFirst();
  if (!row) return undefined;
  const { file_id: _, ...media } = row;
  return media;
}

/** Deletes the media of files, and returns as much of it as their deletion has to know, by their ids. */
export async function takeAllMedia(
  tx: Tx,
  fileIds: string[],
): Promise<Map<string, Pick<Media, 'status' | 'prefix'>>> {
  const rows = await tx
    .deleteFrom('media')
    .where('file_id', 'in', fileIds)
    .returning(['file_id', 'status', 'prefix'])
    .execute();
  return new Map(rows.map(({ file_id, ...media }) => [file_id, media]));
}
