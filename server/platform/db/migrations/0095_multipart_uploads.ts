import { type Kysely, PostgresAdapter, sql } from 'kysely';

/**
 * Multipart uploads of S3 clients are upload sessions too, with the path that they are for, and their parts have an
 * MD5. SQLite can't change a check, so both tables are copied there.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  if (db.getExecutor().adapter instanceof PostgresAdapter) await alterTables(db);
  else await copyTables(db);
  await sql`create index upload_sessions_path on upload_sessions (bucket_id, path, id)
    where path is not null`.execute(db);
}

async function alterTables(db: Kysely<unknown>): Promise<void> {
  await sql`alter table upload_sessions drop constraint upload_sessions_protocol_check`.execute(db);
  await sql`alter table upload_sessions add constraint upload_sessions_protocol_check
    check (protocol in ('form', 'chunked', 'tus', 's3'))`.execute(db);
  await sql`alter table upload_sessions add column path text collate "C"`.execute(db);
  await sql`alter table upload_parts add column md5 text`.execute(db);
}

async function copyTables(db: Kysely<unknown>): Promise<void> {
  const sessions = sql.raw(
    'id, bucket_id, uploader, protocol, client_id, prefix, metadata, thumbnail, total_parts, length, received, file_id, touched_at, created_at, expires_at',
  );
  const parts = sql.raw('upload_id, position, size, object_key, sha256');
  await sql`create table new_sessions (
    id text primary key,
    bucket_id text not null references buckets (id) on delete cascade,
    uploader text not null,
    protocol text not null check (protocol in ('form', 'chunked', 'tus', 's3')),
    client_id text,
    prefix text not null,
    metadata text not null,
    thumbnail text,
    total_parts bigint,
    length bigint,
    received bigint not null default 0,
    file_id text,
    touched_at bigint not null,
    created_at bigint not null,
    expires_at bigint not null,
    path text,
    constraint upload_sessions_client unique (bucket_id, uploader, client_id)
  )`.execute(db);
  await sql`insert into new_sessions (${sessions}) select ${sessions} from upload_sessions`.execute(
    db,
  );
  await sql`create table new_parts (
    upload_id text not null references new_sessions (id) on delete cascade,
    position bigint not null,
    size bigint not null,
    object_key text not null,
    sha256 text,
    md5 text,
    constraint upload_parts_key primary key (upload_id, position)
  )`.execute(db);
  await sql`insert into new_parts (${parts}) select ${parts} from upload_parts`.execute(db);
  // Parts are dropped first, as dropping their sessions would delete them one by one.
  await sql`drop table upload_parts`.execute(db);
  await sql`drop table upload_sessions`.execute(db);
  await sql`alter table new_sessions rename to upload_sessions`.execute(db);
  await sql`alter table new_parts rename to upload_parts`.execute(db);
  await sql`create index upload_sessions_expiry on upload_sessions (expires_at)`.execute(db);
}
