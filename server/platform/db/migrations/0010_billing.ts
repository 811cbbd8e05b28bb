import { type Kysely, sql } from 'kysely';
import { guardLedger } from './ledger-triggers.ts';

const HOUR = 60 * 60 * 1000;
/** What both JavaScript and JSON hold exactly: 9 billion dollars. */
const MAX_AMOUNT = Number.MAX_SAFE_INTEGER;

/** Ledger, charges by the hour, and buckets that are suspended. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('ledger_entries')
    .addColumn('user_id', 'text', (column) => column.notNull())
    .addColumn('seq', 'bigint', (column) => column.notNull())
    .addColumn('amount', 'bigint', (column) => column.notNull())
    .addColumn('balance', 'bigint', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('ref', 'text', (column) => column.notNull().unique())
    .addColumn('bucket_id', 'text')
    .addColumn('detail', 'text')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('ledger_entries_key', ['user_id', 'seq'])
    .addCheckConstraint('ledger_amount', sql`amount <> 0`)
    .addCheckConstraint(
      'ledger_range',
      sql`balance between ${sql.lit(-MAX_AMOUNT)} and ${sql.lit(MAX_AMOUNT)}`,
    )
    .execute();
  await guardLedger(db);
  await db.schema
    .createIndex('ledger_entries_paid')
    .on('ledger_entries')
    .columns(['user_id', 'created_at'])
    .where(sql.ref('kind'), '<>', 'charge')
    .execute();

  await db.schema
    .createTable('ledger_accounts')
    .addColumn('user_id', 'text', (column) => column.primaryKey())
    .addColumn('seq', 'bigint', (column) => column.notNull())
    .addColumn('balance', 'bigint', (column) => column.notNull())
    .addColumn('level', 'bigint', (column) => column.notNull())
    .addColumn('below_since', 'bigint')
    .addColumn('notices', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('delete_at', 'bigint')
    .addColumn('review_at', 'bigint')
    .addColumn('closed_at', 'bigint')
    .execute();
  await db.schema
    .createIndex('ledger_accounts_review')
    .on('ledger_accounts')
    .column('review_at')
    .where(sql.ref('review_at'), 'is not', null)
    .execute();

  await db.schema
    .createTable('ledger_months')
    .addColumn('user_id', 'text', (column) => column.notNull())
    .addColumn('month', 'bigint', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('amount', 'bigint', (column) => column.notNull())
    .addColumn('entries', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('ledger_months_key', ['user_id', 'month', 'kind'])
    .execute();

  await db.schema
    .createTable('billed_buckets')
    .addColumn('bucket_id', 'text', (column) => column.primaryKey())
    .addColumn('user_id', 'text', (column) => column.notNull())
    .addColumn('name', 'text')
    .addColumn('charged_until', 'bigint', (column) => column.notNull())
    .addColumn('carry', 'text', (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('billed_buckets_user')
    .on('billed_buckets')
    .column('user_id')
    .execute();

  await db.schema
    .createTable('charge_months')
    .addColumn('user_id', 'text', (column) => column.notNull())
    .addColumn('month', 'bigint', (column) => column.notNull())
    .addColumn('bucket_id', 'text', (column) => column.notNull())
    .addColumn('storage', 'bigint', (column) => column.notNull())
    .addColumn('bandwidth', 'bigint', (column) => column.notNull())
    .addColumn('upload', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('charge_months_key', ['user_id', 'month', 'bucket_id'])
    .execute();

  await db.schema
    .createTable('prices')
    .addColumn('hour', 'bigint', (column) => column.primaryKey())
    .addColumn('storage', 'bigint', (column) => column.notNull())
    .addColumn('bandwidth', 'bigint', (column) => column.notNull())
    .addColumn('upload', 'bigint', (column) => column.notNull())
    .execute();

  await db.schema
    .createTable('charging')
    .addColumn('id', 'bigint', (column) => column.primaryKey())
    .addColumn('charged_until', 'bigint', (column) => column.notNull())
    .addColumn('lease_until', 'bigint', (column) => column.notNull())
    .execute();
  // What was used before there were accounts to charge is free.
  await sql`
    insert into charging (id, charged_until, lease_until)
    select 1, coalesce(max(hour) + ${sql.lit(HOUR)}, 0), 0 from usage_hours`.execute(db);

  await db.schema.alterTable('buckets').addColumn('suspended_at', 'bigint').execute();
}
