import { type Kysely, PostgresAdapter, sql } from 'kysely';

/**
 * Uploads of all protocols get one table, and what has arrived of them another one. What forms say of a video
 * is stored as tus clients say it, by the same names.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createTables(db);
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter;
  const toObject = sql.raw(isPostgres ? 'json_build_object' : 'json_object');
  const common = sql.raw('id, bucket_id, uploader, prefix, file_id, created_at, expires_at');
  // An image was a video of one chunk which was complete from the start, and had no name.
  await sql`insert into upload_sessions (${common}, protocol, client_id, total_parts, thumbnail, touched_at, metadata)
    select ${common}, case when file_id is not null and name = '' then 'form' else 'chunked' end,
      client_id, total_chunks, thumbnail, touched_at, ${toObject}('filename', name, 'access', access,
        'resolution', resolution, 'timeline_preview', case timeline_preview when 1 then 'yes' else '' end)
    from uploads`.execute(db);
  await sql`insert into upload_sessions (${common}, protocol, length, received, metadata, touched_at)
    select ${common}, 'tus', length, received, metadata, 0 from tus_uploads`.execute(db);
  await sql`insert into upload_parts (upload_id, position, size, object_key, sha256)
    select upload_id, number, size, object_key, sha256 from upload_chunks
    union all select upload_id, position, size, object_key, null from tus_parts`.execute(db);
  for (const table of ['upload_chunks', 'uploads', 'tus_parts', 'tus_uploads']) {
    await db.schema.dropTable(table).execute();
  }
}

async function createTables(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('upload_sessions')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('bucket_id', 'text', (column) =>
      column.notNull().references('buckets.id').onDelete('cascade'),
    )
    .addColumn('uploader', 'text', (column) => column.notNull())
    .addColumn('protocol', 'text', (column) =>
      column.notNull().check(sql`protocol in ('form', 'chunked', 'tus')`),
    )
    .addColumn('client_id', 'text')
    .addColumn('prefix', 'text', (column) => column.notNull())
    .addColumn('metadata', 'text', (column) => column.notNull())
    .addColumn('thumbnail', 'text')
    .addColumn('total_parts', 'bigint')
    .addColumn('length', 'bigint')
    .addColumn('received', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('file_id', 'text')
    .addColumn('touched_at', 'bigint', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .addUniqueConstraint('upload_sessions_client', ['bucket_id', 'uploader', 'client_id'])
    .execute();
  await db.schema
    .createIndex('upload_sessions_expiry')
    .on('upload_sessions')
    .column('expires_at')
    .execute();
  await db.schema
    .createTable('upload_parts')
    .addColumn('upload_id', 'text', (column) =>
      column.notNull().references('upload_sessions.id').onDelete('cascade'),
    )
    .addColumn('position', 'bigint', (column) => column.notNull())
    .addColumn('size', 'bigint', (column) => column.notNull())
    .addColumn('object_key', 'text', (column) => column.notNull())
    .addColumn('sha256', 'text')
    .addPrimaryKeyConstraint('upload_parts_key', ['upload_id', 'position'])
    .execute();
}
