import { type Kysely, sql } from 'kysely';

/**
 * What each bucket and each account stores, sends and costs, as columns with indexes, so that the admin's lists have an
 * order by them without adding up what all tenants did. Of a month that is over they keep the last values.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const now = new Date();
  const month = sql.lit(Date.UTC(now.getUTCFullYear(), now.getUTCMonth()));
  for (const [table, key, parent, counts] of [
    ['bucket_stats', 'bucket_id', 'buckets', ['month', 'bandwidth', 'spend_month', 'spend']],
    ['account_stats', 'user_id', 'users', ['stored', 'month', 'bandwidth']],
  ] as const) {
    let statement = db.schema
      .createTable(table)
      .addColumn(key, 'text', (column) =>
        column.primaryKey().references(`${parent}.id`).onDelete('cascade'),
      );
    for (const name of counts) {
      statement = statement.addColumn(name, 'bigint', (column) => column.notNull().defaultTo(0));
    }
    await statement.execute();
  }
  for (const name of ['spend_month', 'spend']) {
    await db.schema
      .alterTable('ledger_accounts')
      .addColumn(name, 'bigint', (column) => column.notNull().defaultTo(0))
      .execute();
  }

  await sql`insert into bucket_stats (bucket_id, month, bandwidth, spend_month, spend)
    select id, ${month},
      coalesce((select sum(bandwidth) from usage_days where bucket_id = buckets.id and day >= ${month}), 0),
      ${month},
      coalesce((select sum(storage + bandwidth + upload) from charge_months
        where charge_months.user_id = buckets.user_id and month = ${month} and bucket_id = buckets.id), 0)
    from buckets`.execute(db);
  await sql`insert into account_stats (user_id, stored, month, bandwidth)
    select id, coalesce((select sum(bytes) from account_totals where user_id = users.id), 0), ${month},
      coalesce((select sum(bandwidth) from buckets join bucket_stats on bucket_id = buckets.id
        where buckets.user_id = users.id), 0)
    from users`.execute(db);
  await sql`update ledger_accounts set spend_month = ${month}, spend = -(
    select amount from ledger_months
    where ledger_months.user_id = ledger_accounts.user_id and month = ${month} and kind = 'charge')
    where exists (select 1 from ledger_months
    where ledger_months.user_id = ledger_accounts.user_id and month = ${month} and kind = 'charge')`.execute(
    db,
  );

  for (const index of [
    'buckets_usage on buckets (usage, id)',
    'bucket_stats_bandwidth on bucket_stats (month, bandwidth, bucket_id)',
    'bucket_stats_spend on bucket_stats (spend_month, spend, bucket_id)',
    'account_stats_stored on account_stats (stored, user_id)',
    'account_stats_bandwidth on account_stats (month, bandwidth, user_id)',
    'ledger_accounts_balance on ledger_accounts (balance, user_id) where closed_at is null',
    'ledger_accounts_spend on ledger_accounts (spend_month, spend, user_id) where closed_at is null',
  ]) {
    await sql`create index ${sql.raw(index)}`.execute(db);
  }
}
