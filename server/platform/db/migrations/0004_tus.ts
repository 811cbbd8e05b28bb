import type { Kysely } from 'kysely';

/** Uploads by the tus protocol, and the parts that have arrived of them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('tus_uploads')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('bucket_id', 'text', (column) =>
      column.notNull().references('buckets.id').onDelete('cascade'),
    )
    .addColumn('uploader', 'text', (column) => column.notNull())
    .addColumn('length', 'bigint')
    .addColumn('received', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('metadata', 'text', (column) => column.notNull())
    .addColumn('file_id', 'text')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('tus_expiry').on('tus_uploads').column('expires_at').execute();
  await db.schema.createIndex('tus_bucket').on('tus_uploads').column('bucket_id').execute();

  await db.schema
    .createTable('tus_parts')
    .addColumn('upload_id', 'text', (column) =>
      column.notNull().references('tus_uploads.id').onDelete('cascade'),
    )
    .addColumn('position', 'bigint', (column) => column.notNull())
    .addColumn('size', 'bigint', (column) => column.notNull())
    .addColumn('object_key', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('tus_parts_key', ['upload_id', 'position'])
    .execute();
}
