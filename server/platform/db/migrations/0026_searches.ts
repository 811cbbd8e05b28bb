import { type Kysely, PostgresAdapter, sql } from 'kysely';

/** The searched tables and their columns. */
const SEARCHED = [
  ['audit_log', 'message_key'],
  ['buckets', 'name_key'],
  ['users', 'email_key'],
] as const;

/** Creates an index by trigrams of every text that the admin searches, and those of rare states. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter;
  const statements = SEARCHED.flatMap(([table, column]) =>
    isPostgres ? onPostgres(table, column) : onSqlite(table, column),
  );
  for (const statement of isPostgres ? [EXTENSION, ...statements] : statements) {
    await sql.raw(statement).execute(db);
  }

  // Few of all accounts and codes, in the order of the admin's list.
  await sql`create index users_inactive on users (id) where status <> 'active'`.execute(db);
  await sql`create index challenges_signup on challenges (id)
    where purpose = 'signup' and closed_at is null and code_mac <> ''`.execute(db);
  const lookups = [
    ['sessions', 'expires_at'],
    ['challenges', 'expires_at'],
    ['challenges', 'user_id'],
    ['rate_limits', 'expire'],
    ['email_changes', 'user_id'],
  ] as const;
  for (const [table, column] of lookups) {
    await db.schema.createIndex(`${table}_${column}`).on(table).column(column).execute();
  }
}

/**
 * The index holds no texts, only which rows have which trigrams: rows are found by their rowids, which
 * SQLite keeps, also when it vacuums a table that has another index. 'optimize' leaves one piece: with the
 * many of a 'rebuild', the next insertions would merge them, at several milliseconds each.
 */
const onSqlite = (table: string, column: string) => {
  const index = `${table}_search`;
  const remove = `insert into ${index} (${index}, rowid, ${column})
    values ('delete', old.rowid, old.${column});`;
  const add = `insert into ${index} (rowid, ${column}) values (new.rowid, new.${column});`;
  return [
    `create virtual table ${index} using fts5 (${column}, content='${table}', content_rowid='rowid',
      tokenize='trigram case_sensitive 1', detail='none', columnsize=0)`,
    `insert into ${index} (${index}) values ('rebuild')`,
    `insert into ${index} (${index}) values ('optimize')`,
    `create trigger ${index}_add after insert on ${table} begin ${add} end`,
    `create trigger ${index}_remove after delete on ${table} begin ${remove} end`,
    `create trigger ${index}_change after update of ${column} on ${table}
     begin ${remove} ${add} end`,
  ];
};

/**
 * The owner of a database may create this extension, but its files can be missing on the server. Searches
 * then read whole tables, which `wharf doctor` reports.
 */
const EXTENSION = `do $$ begin
  create extension if not exists pg_trgm;
exception when others then
  raise warning 'pg_trgm could not be created: %', sqlerrm;
end $$`;

const onPostgres = (table: string, column: string) => [
  `do $$ begin
    if exists (select 1 from pg_extension where extname = 'pg_trgm') then
      create index ${table}_search on ${table} using gin (${column} gin_trgm_ops);
    end if;
  end $$`,
];
