import { type Kysely, sql } from 'kysely';

/**
 * API keys get a table of their own, so that a bucket can have several. The primary key of a bucket, which its owner
 * may view, has the id of the bucket. SQLite can't drop a unique column, so the one of the MACs stays, unused.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('api_keys')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('bucket_id', 'text', (column) =>
      column.notNull().references('buckets.id').onDelete('cascade'),
    )
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('scope', 'text', (column) =>
      column.notNull().check(sql`scope in ('read', 'write', 'read-write')`),
    )
    .addColumn('key_hash', 'text', (column) => column.notNull())
    .addColumn('key_sealed', 'text')
    .addColumn('expires_at', 'bigint')
    .addColumn('last_used_at', 'bigint')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addCheckConstraint('api_keys_sealed', sql`(id = bucket_id) = (key_sealed is not null)`)
    .execute();
  await sql`insert into api_keys (id, bucket_id, name, scope, key_hash, key_sealed, created_at)
    select id, id, 'Primary', 'read-write', api_key_mac, api_key_sealed, created_at
    from buckets order by id`.execute(db);
  // An index of random values is built faster of all rows than with each of them.
  await db.schema.createIndex('api_keys_hash').on('api_keys').column('key_hash').unique().execute();
  await db.schema
    .createIndex('api_keys_bucket')
    .on('api_keys')
    .columns(['bucket_id', 'id'])
    .execute();
  await db.schema.alterTable('buckets').dropColumn('api_key_sealed').execute();
  await db.schema.alterTable('buckets').renameColumn('api_key_mac', 'unused_key_mac').execute();
}
