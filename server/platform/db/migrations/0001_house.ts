import { type Kysely, sql } from 'kysely';

/** Accounts, buckets, files, uploads and jobs. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('users')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('email', 'text', (column) => column.notNull())
    .addColumn('email_key', 'text', (column) => column.notNull().unique())
    .addColumn('password_hash', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute();

  await db.schema
    .createTable('sessions')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('user_id', 'text', (column) =>
      column.notNull().references('users.id').onDelete('cascade'),
    )
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .addColumn('revoked_at', 'bigint')
    .execute();
  await db.schema.createIndex('sessions_user').on('sessions').column('user_id').execute();

  await db.schema
    .createTable('challenges')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('purpose', 'text', (column) => column.notNull())
    .addColumn('email', 'text', (column) => column.notNull())
    .addColumn('email_key', 'text', (column) => column.notNull())
    .addColumn('browser', 'text', (column) => column.notNull())
    .addColumn('code_mac', 'text', (column) => column.notNull())
    .addColumn('code_expires_at', 'bigint', (column) => column.notNull())
    .addColumn('tries', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('password_hash', 'text')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .addColumn('closed_at', 'bigint')
    .execute();
  await db.schema
    .createIndex('challenges_address')
    .on('challenges')
    .columns(['email_key', 'purpose', 'browser'])
    .execute();

  await db.schema
    .createTable('buckets')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('user_id', 'text', (column) =>
      column.notNull().references('users.id').onDelete('cascade'),
    )
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('name_key', 'text', (column) => column.notNull())
    .addColumn('region', 'text')
    .addColumn('webhook', 'text', (column) => column.notNull().defaultTo(''))
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('api_key_sealed', 'text', (column) => column.notNull())
    .addColumn('api_key_mac', 'text', (column) => column.notNull().unique())
    .addColumn('key_version', 'bigint', (column) => column.notNull().defaultTo(1))
    .addColumn('total_uploads', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('usage', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('buckets_user').on('buckets').columns(['user_id', 'id']).execute();

  await db.schema
    .createTable('files')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('bucket_id', 'text', (column) =>
      column.notNull().references('buckets.id').onDelete('cascade'),
    )
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('size', 'bigint', (column) => column.notNull())
    .addColumn('file_type', 'text', (column) => column.notNull())
    .addColumn('access', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('error', 'text')
    .addColumn('prefix', 'text')
    .addColumn('entry', 'text')
    .addColumn('width', 'bigint')
    .addColumn('height', 'bigint')
    .addColumn('duration', 'bigint')
    .addColumn('playable', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('stored_bytes', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('files_bucket').on('files').columns(['bucket_id', 'id']).execute();

  await db.schema
    .createTable('uploads')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('bucket_id', 'text', (column) =>
      column.notNull().references('buckets.id').onDelete('cascade'),
    )
    .addColumn('uploader', 'text', (column) => column.notNull())
    .addColumn('client_id', 'text', (column) => column.notNull())
    .addColumn('total_chunks', 'bigint', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('access', 'text', (column) => column.notNull())
    .addColumn('resolution', 'text', (column) => column.notNull())
    .addColumn('timeline_preview', 'bigint', (column) => column.notNull())
    .addColumn('thumbnail', 'text')
    .addColumn('file_id', 'text')
    .addColumn('touched_at', 'bigint', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .addUniqueConstraint('uploads_client', ['bucket_id', 'uploader', 'client_id'])
    .execute();
  await db.schema.createIndex('uploads_expiry').on('uploads').column('expires_at').execute();

  await db.schema
    .createTable('upload_chunks')
    .addColumn('upload_id', 'text', (column) =>
      column.notNull().references('uploads.id').onDelete('cascade'),
    )
    .addColumn('number', 'bigint', (column) => column.notNull())
    .addColumn('size', 'bigint', (column) => column.notNull())
    .addColumn('object_key', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('upload_chunks_key', ['upload_id', 'number'])
    .execute();

  await db.schema
    .createTable('doomed')
    .addColumn('prefix', 'text', (column) => column.primaryKey())
    .addColumn('not_before', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('doomed_due').on('doomed').column('not_before').execute();

  await db.schema
    .createTable('jobs')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('subject', 'text', (column) => column.notNull())
    .addColumn('payload', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('attempts', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('run_at', 'bigint', (column) => column.notNull())
    .addColumn('lease_token', 'text')
    .addColumn('lease_until', 'bigint')
    .addColumn('progress', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('error', 'text')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('finished_at', 'bigint')
    .execute();
  await db.schema
    .createIndex('jobs_due')
    .on('jobs')
    .columns(['kind', 'run_at'])
    .where(sql.ref('state'), 'in', ['queued', 'running'])
    .execute();
  await db.schema.createIndex('jobs_subject').on('jobs').column('subject').execute();
}
