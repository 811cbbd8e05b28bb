import { type Kysely, SqliteAdapter, sql } from 'kysely';

/** Bans, the audit log, sums over all buckets by the day, and what the admin's lists are read by. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // Beside the status, so that lifting a ban leaves what else is the matter with a bucket as it is.
  await db.schema.alterTable('buckets').addColumn('banned_at', 'bigint').execute();

  await db.schema
    .createTable('audit_log')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('section', 'text', (column) => column.notNull())
    .addColumn('action', 'text', (column) => column.notNull())
    .addColumn('message', 'text', (column) => column.notNull())
    .addColumn('message_key', 'text', (column) => column.notNull())
    .addColumn('actor', 'text', (column) => column.notNull())
    .addColumn('actor_id', 'text')
    .addColumn('subject_id', 'text')
    .addColumn('details', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('audit_log_section')
    .on('audit_log')
    .columns(['section', 'id'])
    .execute();
  await db.schema
    .createIndex('audit_log_subject')
    .on('audit_log')
    .columns(['subject_id', 'id'])
    .execute();
  await db.schema
    .createTable('audit_hidden')
    .addColumn('log_id', 'text', (column) =>
      column.primaryKey().references('audit_log.id').onDelete('cascade'),
    )
    .addColumn('hidden_at', 'bigint', (column) => column.notNull())
    .execute();
  // Rows older than this may be deleted; see the trigger.
  await db.schema
    .createTable('audit_floor')
    .addColumn('id', 'bigint', (column) => column.primaryKey())
    .addColumn('before', 'bigint', (column) => column.notNull())
    .execute();
  await sql`insert into audit_floor (id, before) values (1, 0)`.execute(db);
  const isSqlite = db.getExecutor().adapter instanceof SqliteAdapter;
  for (const statement of isSqlite ? SQLITE_TRIGGERS : POSTGRES_TRIGGERS) {
    await sql.raw(statement).execute(db);
  }

  await db.schema
    .createTable('usage_totals')
    .addColumn('day', 'bigint', (column) => column.primaryKey())
    .addColumn('stored', 'bigint', (column) => column.notNull())
    .addColumn('bandwidth', 'bigint', (column) => column.notNull())
    .execute();

  // What comes in is little beside what is charged by the hour.
  await sql`
    create index ledger_revenue on ledger_entries (created_at)
    where kind in ('payment', 'refund', 'dispute', 'reversal')`.execute(db);
  await db.schema
    .createIndex('jobs_state')
    .on('jobs')
    .columns(['state', 'kind', 'id'])
    .where(sql.ref('state'), 'in', ['queued', 'running', 'failed'])
    .execute();
}

const FIXED = 'the audit log is append-only';

// `insert or replace` removes rows without telling a trigger of it, so a known id is refused before.
const SQLITE_TRIGGERS = [
  `create trigger audit_log_no_replace before insert on audit_log
   when exists (select 1 from audit_log where id = new.id)
   begin select raise(abort, '${FIXED}'); end`,
  `create trigger audit_log_no_update before update on audit_log
   begin select raise(abort, '${FIXED}'); end`,
  `create trigger audit_log_no_delete before delete on audit_log
   when old.created_at >= (select before from audit_floor where id = 1)
   begin select raise(abort, '${FIXED}'); end`,
];

const POSTGRES_TRIGGERS = [
  `create function audit_log_fixed() returns trigger language plpgsql as $$
   begin
     if tg_op = 'DELETE' then
       if old.created_at < (select before from audit_floor where id = 1) then return old; end if;
     end if;
     raise exception '${FIXED}';
   end $$`,
  `create trigger audit_log_fixed before update or delete on audit_log
   for each row execute function audit_log_fixed()`,
  `create trigger audit_log_no_truncate before truncate on audit_log
   for each statement execute function audit_log_fixed()`,
];
