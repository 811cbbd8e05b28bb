import { type Kysely, sql } from 'kysely';

/**
 * After how many days a bucket's files are deleted, by the beginning of their paths. The index has the buckets that
 * have such rules, in the order in which their files are looked through.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('buckets').addColumn('expiry_rules', 'text').execute();
  await db.schema.alterTable('buckets').addColumn('expiry_due_at', 'bigint').execute();
  await sql`alter table buckets add column expiry_position text not null default ''`.execute(db);
  await sql`create index buckets_expiry on buckets (expiry_due_at, id)
    where expiry_due_at is not null`.execute(db);
}
