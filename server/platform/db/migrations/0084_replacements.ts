import { type Kysely, sql } from 'kysely';

/** A file that is processed takes the path of the one that it replaces once it is published. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('replacements')
    .addColumn('file_id', 'text', (column) =>
      column.primaryKey().references('files.id').onDelete('cascade'),
    )
    .addColumn('bucket_id', 'text', (column) => column.notNull())
    .addColumn('path', 'text', (column) => column.notNull())
    .addColumn('replaces', 'text', (column) => column.notNull())
    .addColumn('position', 'bigint', (column) => column.notNull())
    .addColumn('actor', 'text', (column) => column.notNull())
    .execute();
  await sql`create unique index replacements_path on replacements (bucket_id, path, position)`.execute(
    db,
  );
}
