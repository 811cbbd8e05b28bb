import { sql } from 'kysely';
import { type Executor, isOnPostgres } from '../../platform/db/port.ts';

/** Returns the version of the database and the bytes that it occupies. */
export async function databaseFacts(db: Executor): Promise<{ version: string; bytes: number }> {
  const { rows } = await (isOnPostgres(db)
    ? sql<{ version: string; bytes: number }>`
        select current_setting('server_version') as version,
          pg_database_size(current_database()) as bytes`
    : sql<{ version: string; bytes: number }>`
        select sqlite_version() as version,
          (select page_count from pragma_page_count) * (select page_size from pragma_page_size) as bytes`
  ).execute(db);
  return rows[0] ?? { version: '', bytes: 0 };
}

/** Returns when the newest backup was made, in epoch milliseconds; null where the audit log knows of none. */
export async function lastBackupAt(db: Executor): Promise<number | null> {
  const row = await db
    .selectFrom('audit_log')
    .select('created_at')
    // SQLite uses the partial index only if the condition is a literal, as it is in the index.
    .where(sql<boolean>`action = 'backup.made'`)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.created_at ?? null;
}
