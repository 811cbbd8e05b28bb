import { type Kysely, sql } from 'kysely';

const DAY = 24 * 60 * 60 * 1000;

/** What was delivered, uploaded and stored, by bucket and hour, by bucket and day, by file and day. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // Rows outlive their bucket: its last hours are still to be charged, its days are history.
  await db.schema
    .createTable('usage_hours')
    .addColumn('bucket_id', 'text', (column) => column.notNull())
    .addColumn('hour', 'bigint', (column) => column.notNull())
    .addColumn('bandwidth', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('uploaded', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('stored_gib_ms', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('stored_byte_ms', 'bigint', (column) => column.notNull().defaultTo(0))
    .addPrimaryKeyConstraint('usage_hours_key', ['bucket_id', 'hour'])
    .execute();
  await db.schema.createIndex('usage_hours_hour').on('usage_hours').column('hour').execute();

  await db.schema
    .createTable('usage_days')
    .addColumn('bucket_id', 'text', (column) => column.notNull())
    .addColumn('day', 'bigint', (column) => column.notNull())
    .addColumn('bandwidth', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('uploaded', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('stored', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('kept', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('removed', 'bigint', (column) => column.notNull().defaultTo(0))
    .addPrimaryKeyConstraint('usage_days_key', ['bucket_id', 'day'])
    .execute();
  await db.schema.createIndex('usage_days_day').on('usage_days').column('day').execute();

  for (const table of ['file_bandwidth', 'file_growth'] as const) {
    await db.schema
      .createTable(table)
      .addColumn('file_id', 'text', (column) => column.notNull())
      .addColumn('day', 'bigint', (column) => column.notNull())
      .addColumn('bytes', 'bigint', (column) => column.notNull().defaultTo(0))
      .addPrimaryKeyConstraint(`${table}_key`, ['file_id', 'day'])
      .execute();
    await db.schema.createIndex(`${table}_day`).on(table).column('day').execute();
  }

  await db.schema
    .createTable('bucket_meters')
    .addColumn('bucket_id', 'text', (column) =>
      column.primaryKey().references('buckets.id').onDelete('cascade'),
    )
    .addColumn('metered_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('bucket_meters_at')
    .on('bucket_meters')
    .column('metered_at')
    .execute();

  // What is stored already is charted from the day it came, and metered from now on.
  await sql`
    insert into file_growth (file_id, day, bytes)
    select id, created_at - created_at % ${sql.lit(DAY)}, stored_bytes from files
    where stored_bytes > 0`.execute(db);
  await sql`
    insert into usage_days (bucket_id, day, uploaded, stored, kept)
    select bucket_id, created_at - created_at % ${sql.lit(DAY)},
      sum(size), sum(stored_bytes), sum(stored_bytes)
    from files group by 1, 2`.execute(db);
  await sql`
    insert into bucket_meters (bucket_id, metered_at)
    select id, ${sql.lit(Date.now())} from buckets`.execute(db);
}
