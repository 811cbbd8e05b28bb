import type { Kysely } from 'kysely';

/**
 * Access tokens that have a name are listed and can be revoked one by one. Their ids are also in the row of their bucket,
 * which every check of a token reads anyway.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('access_tokens')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('bucket_id', 'text', (column) =>
      column.notNull().references('buckets.id').onDelete('cascade'),
    )
    .addColumn('key_id', 'text', (column) => column.references('api_keys.id').onDelete('cascade'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('scope', 'text', (column) => column.notNull())
    .addColumn('file_id', 'text')
    .addColumn('prefix', 'text')
    .addColumn('expires_at', 'bigint')
    .addColumn('last_used_at', 'bigint')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('access_tokens_bucket')
    .on('access_tokens')
    .columns(['bucket_id', 'id'])
    .execute();
  await db.schema.createIndex('access_tokens_key').on('access_tokens').column('key_id').execute();
  await db.schema.alterTable('buckets').addColumn('token_ids', 'text').execute();
}
