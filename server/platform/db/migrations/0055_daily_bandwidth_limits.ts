import { type Kysely, sql } from 'kysely';

/** The bytes that a bucket may send in a day, and the share of each limit of which its owner was told. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const column of [
    'bandwidth_daily_limit',
    'bandwidth_warned_percent',
    'bandwidth_day_warned_until',
    'bandwidth_day_warned_percent',
  ]) {
    await db.schema.alterTable('buckets').addColumn(column, 'bigint').execute();
  }
  await sql`
    update buckets set bandwidth_warned_percent =
      case when delivery_stopped_until = bandwidth_warned_until then 100 else 80 end
    where bandwidth_warned_until is not null`.execute(db);
}
