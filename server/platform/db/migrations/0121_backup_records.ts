import { type Kysely, sql } from 'kysely';

/** By which the newest backup is found in the audit log. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index audit_log_backups on audit_log (id) where action = 'backup.made'`.execute(
    db,
  );
}
