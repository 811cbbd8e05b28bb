import { type Kysely, sql } from 'kysely';

/** Access keys of accounts for the S3 API. A signature can only be verified with the secret itself, so it is sealed. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('s3_keys')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('user_id', 'text', (column) =>
      column.notNull().references('users.id').onDelete('cascade'),
    )
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('access_key_id', 'text', (column) => column.notNull().unique())
    .addColumn('secret_sealed', 'text', (column) => column.notNull())
    .addColumn('access', 'text', (column) =>
      column.notNull().check(sql`access in ('read', 'write', 'both')`),
    )
    .addColumn('bucket_ids', 'text')
    .addColumn('expires_at', 'bigint')
    .addColumn('last_used_at', 'bigint')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('s3_keys_user').on('s3_keys').columns(['user_id', 'id']).execute();
}
