import { type Kysely, sql } from 'kysely';

/** What a link to a ZIP has in it, for as long as the link is valid. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('zips')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('user_id', 'text', (column) => column.notNull())
    .addColumn('bucket_id', 'text', (column) => column.notNull())
    .addColumn('folder', 'text')
    .addColumn('file_ids', 'text')
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .execute();
  await sql`create index zips_user on zips (user_id, expires_at)`.execute(db);
  await sql`create index zips_expiry on zips (expires_at)`.execute(db);
}
