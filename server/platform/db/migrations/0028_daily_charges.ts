import { type CreateTableBuilder, type Kysely, SqliteAdapter, sql } from 'kysely';

const HOUR = 60 * 60 * 1000;
const GIB = 1024 ** 3;

/**
 * Charges by the day: hours of usage are kept until they are charged, with what changed in them, so
 * that a bucket in which nothing changes needs no row.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const isSqlite = db.getExecutor().adapter instanceof SqliteAdapter;
  // The rows of an account are read and deleted together, so they should lie in one place.
  const byKey = <Name extends string>(table: CreateTableBuilder<Name>) =>
    isSqlite ? table.modifyEnd(sql`without rowid`) : table;

  await db.schema.alterTable('usage_hours').renameTo('old_usage_hours').execute();
  await db.schema
    .createTable('usage_hours')
    .addColumn('user_id', 'text', (column) => column.notNull())
    .addColumn('bucket_id', 'text', (column) => column.notNull())
    .addColumn('hour', 'bigint', (column) => column.notNull())
    .addColumn('bandwidth', 'bigint', (column) => column.notNull())
    .addColumn('uploaded', 'bigint', (column) => column.notNull())
    .addColumn('stored_change', 'bigint', (column) => column.notNull())
    .addColumn('stored_gib_ms', 'bigint', (column) => column.notNull())
    .addColumn('stored_byte_ms', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('usage_hours_of_account', ['user_id', 'bucket_id', 'hour'])
    .$call(byKey)
    .execute();
  // The hourly charges ended at a different hour for each bucket; what came later is still to be charged.
  await sql`
    insert into usage_hours
    select coalesce(buckets.user_id, billed.user_id), old.bucket_id, old.hour, old.bandwidth,
      old.uploaded, 0, old.stored_gib_ms, old.stored_byte_ms
    from old_usage_hours as old
    left join buckets on buckets.id = old.bucket_id
    left join billed_buckets as billed on billed.bucket_id = old.bucket_id
    where old.hour >= coalesce(billed.charged_until, 0)
      and old.hour >= (select charged_until from charging)
      and coalesce(buckets.user_id, billed.user_id) is not null`.execute(db);
  // Storage was metered up to a time of its own in each bucket; from then on its bytes are a change.
  const hour = sql`metered_at - metered_at % ${sql.lit(HOUR)}`;
  const left = sql`(${sql.lit(HOUR)} - metered_at % ${sql.lit(HOUR)})`;
  const gib = sql.lit(GIB);
  await sql`
    insert into usage_hours
    select user_id, id, ${hour}, 0, 0, usage,
      usage / ${gib} * ${left} + usage % ${gib} * ${left} / ${gib},
      usage % ${gib} * ${left} % ${gib}
    from buckets join bucket_meters on bucket_id = id
    where usage > 0
    on conflict (user_id, bucket_id, hour) do update set
      stored_change = excluded.stored_change,
      stored_gib_ms = usage_hours.stored_gib_ms + excluded.stored_gib_ms,
      stored_byte_ms = usage_hours.stored_byte_ms + excluded.stored_byte_ms`.execute(db);
  await db.schema.dropTable('old_usage_hours').execute();
  await db.schema.dropTable('bucket_meters').execute();
  await db.schema.dropTable('charging').execute();

  await db.schema
    .alterTable('billed_buckets')
    .addColumn('stored', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema
    .createIndex('billed_buckets_storing')
    .on('billed_buckets')
    .column('user_id')
    .where(sql.ref('stored'), '<>', sql.lit(0))
    .execute();
  await db.schema.alterTable('ledger_accounts').addColumn('charge_at', 'bigint').execute();
  await db.schema
    .createIndex('ledger_accounts_charge')
    .on('ledger_accounts')
    .columns(['charge_at', 'user_id'])
    .where(sql.ref('charge_at'), 'is not', null)
    .execute();
  await db.schema
    .createTable('charge_days')
    .addColumn('user_id', 'text', (column) => column.notNull())
    .addColumn('day', 'bigint', (column) => column.notNull())
    .addColumn('bucket_id', 'text', (column) => column.notNull())
    .addColumn('storage', 'bigint', (column) => column.notNull())
    .addColumn('bandwidth', 'bigint', (column) => column.notNull())
    .addColumn('upload', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('charge_days_key', ['user_id', 'day', 'bucket_id'])
    .$call(byKey)
    .execute();
}
