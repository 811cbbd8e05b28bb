import { type ColumnDefinitionBuilder, type Kysely, SqliteAdapter, sql } from 'kysely';
import { dropFileColumns } from './drop-file-columns.ts';

/** The columns that move from `files`, by the names they get. */
const COLUMNS = [
  ...['status', 'error', 'warning', 'prefix', 'entry', 'width', 'height', 'duration', 'playable'],
  ...['thumb_hash', 'poster', 'previews', 'webp_skipped', 'is_turned', 'renditions', 'retry_until'],
];

const oldName = (column: string) => (column === 'webp_skipped' ? 'kept_original' : column);

/** What processing has made of a file gets a table of its own, so that `files` holds only what is true of any file. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const columns = COLUMNS.map(oldName);
  await db.schema.dropIndex('files_retry_until').execute();
  if (db.getExecutor().adapter instanceof SqliteAdapter) {
    await dropFileColumns(db, columns, (source) => createMedia(db, source));
  } else {
    await createMedia(db, 'files');
    for (const column of columns) await db.schema.alterTable('files').dropColumn(column).execute();
  }
  await sql`create index media_retry_until on media (retry_until) where retry_until is not null`.execute(
    db,
  );
}

async function createMedia(db: Kysely<unknown>, source: string): Promise<void> {
  await db.schema
    .createTable('media')
    .addColumn('file_id', 'text', (column) =>
      column.primaryKey().references('files.id').onDelete('cascade'),
    )
    .addColumn('status', 'text', (column) =>
      column.notNull().check(sql`status in ('processing', 'success', 'error')`),
    )
    .addColumn('error', 'text')
    .addColumn('warning', 'text')
    .addColumn('prefix', 'text')
    .addColumn('entry', 'text')
    .addColumn('width', 'bigint')
    .addColumn('height', 'bigint')
    .addColumn('duration', 'bigint')
    .addColumn('playable', 'bigint', isBoolean('playable'))
    .addColumn('thumb_hash', 'text')
    .addColumn('poster', 'text')
    .addColumn('previews', 'text')
    .addColumn('webp_skipped', 'bigint', isBoolean('webp_skipped'))
    .addColumn('is_turned', 'bigint', isBoolean('is_turned'))
    .addColumn('renditions', 'text')
    .addColumn('retry_until', 'bigint')
    .execute();
  const list = (names: string[]) => sql.join(names.map((name) => sql.ref(name)));
  await sql`insert into media (file_id, ${list(COLUMNS)})
    select id, ${list(COLUMNS.map(oldName))} from ${sql.table(source)} order by id`.execute(db);
}

const isBoolean = (name: string) => (column: ColumnDefinitionBuilder) =>
  column
    .notNull()
    .defaultTo(0)
    .check(sql`${sql.ref(name)} in (0, 1)`);
