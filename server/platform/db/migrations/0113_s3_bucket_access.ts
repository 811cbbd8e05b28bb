import { type Kysely, sql } from 'kysely';

/**
 * What S3 clients set for a bucket: who beside its account may list it, whether public files are private nevertheless,
 * and the documents that they read back as they sent them. Of several accounts that have a bucket of one name, the one
 * that had it first is who people without a key mean by it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table buckets add column s3_named_at bigint`.execute(db);
  await sql`alter table buckets add column lists_public bigint not null default 0`.execute(db);
  await sql`alter table buckets add column ignores_public bigint not null default 0`.execute(db);
  await sql`alter table buckets add column s3_access text`.execute(db);
  await sql`update buckets set s3_named_at = created_at where s3_name is not null`.execute(db);
  await sql`create index buckets_public_s3_name on buckets (s3_name, s3_named_at, id)
    where s3_name is not null`.execute(db);
  await db.schema
    .createTable('bucket_documents')
    .addColumn('bucket_id', 'text', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('content', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('bucket_documents_key', ['bucket_id', 'kind'])
    .execute();
}
