import { type Kysely, PostgresAdapter, sql } from 'kysely';

/**
 * Counts what each account stores, so that an upload does not add up all of its buckets. Buckets of an
 * account are spread over several rows: uploads into different buckets would wait for each other at one.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter;
  await db.schema
    .createTable('account_totals')
    .addColumn('user_id', 'text', (column) =>
      column.notNull().references('users.id').onDelete('cascade'),
    )
    .addColumn('shard', 'bigint', (column) => column.notNull())
    .addColumn('buckets', 'bigint', (column) => column.notNull())
    .addColumn('files', 'bigint', (column) => column.notNull())
    .addColumn('bytes', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('account_totals_key', ['user_id', 'shard'])
    .execute();
  const shard = sql.raw(shardOf('id', isPostgres));
  await sql`insert into account_totals (user_id, shard, buckets, files, bytes)
    select user_id, ${shard}, count(*), sum(total_uploads), sum(usage) from buckets
    group by user_id, ${shard}`.execute(db);
  for (const statement of isPostgres ? POSTGRES : SQLITE) await sql.raw(statement).execute(db);
}

/** The last character of an id is random. */
function shardOf(id: string, isPostgres: boolean): string {
  return isPostgres ? `ascii(right(${id}, 1)) % 16` : `unicode(substr(${id}, -1)) % 16`;
}

const add = (isPostgres: boolean) => `
  insert into account_totals (user_id, shard, buckets, files, bytes)
  values (new.user_id, ${shardOf('new.id', isPostgres)}, 1, new.total_uploads, new.usage)
  on conflict (user_id, shard) do update set buckets = account_totals.buckets + 1,
    files = account_totals.files + excluded.files, bytes = account_totals.bytes + excluded.bytes;`;
const change = (isPostgres: boolean) => `
  update account_totals set files = files + new.total_uploads - old.total_uploads,
    bytes = bytes + new.usage - old.usage
  where user_id = new.user_id and shard = ${shardOf('new.id', isPostgres)};`;
const remove = (isPostgres: boolean) => `
  update account_totals set buckets = buckets - 1, files = files - old.total_uploads,
    bytes = bytes - old.usage
  where user_id = old.user_id and shard = ${shardOf('old.id', isPostgres)};`;

const CHANGED = 'old.usage <> new.usage or old.total_uploads <> new.total_uploads';

const SQLITE = [
  `create trigger bucket_added after insert on buckets begin ${add(false)} end`,
  `create trigger bucket_changed after update of usage, total_uploads on buckets
   when ${CHANGED} begin ${change(false)} end`,
  `create trigger bucket_removed after delete on buckets begin ${remove(false)} end`,
];

// The triggers run at the commit, after everything else that a transaction locks.
const POSTGRES = [
  ['added', 'insert', add(true)],
  ['changed', 'update of usage, total_uploads', change(true)],
  ['removed', 'delete', remove(true)],
].flatMap(([name, event, statement]) => [
  `create function bucket_${name}() returns trigger language plpgsql as $$
   begin ${statement} return null; end $$`,
  `create constraint trigger bucket_${name} after ${event} on buckets
   deferrable initially deferred for each row ${name === 'changed' ? `when (${CHANGED})` : ''}
   execute function bucket_${name}()`,
]);
