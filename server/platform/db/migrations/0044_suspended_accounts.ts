import { type Kysely, sql } from 'kysely';

/** The 72 hours for which suspended buckets were delivered before. */
const GRACE_MS = 259_200_000;

/**
 * An account is suspended, and all of its buckets with it, as long as `delivery_until` is set. The columns
 * `status` and `suspended_at` of a bucket no longer say so. A process of an earlier version may still be
 * running and reads them, so they stay.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const accounts = () => db.schema.alterTable('ledger_accounts');
  await accounts().addColumn('delivery_until', 'bigint').execute();
  await accounts().addColumn('paused_at', 'bigint').execute();
  await sql`update ledger_accounts set delivery_until = below_since + ${sql.lit(GRACE_MS)}
    where below_since is not null`.execute(db);
  await sql`drop index ledger_accounts_below`.execute(db);
  await sql`create index ledger_accounts_below on ledger_accounts (user_id)
    where (level = 3 or delivery_until is not null) and closed_at is null`.execute(db);
}
