import { sql } from 'kysely';
import { type Executor, isOnPostgres } from './db/port.ts';

/**
 * Stores that rows of a table were used, except those of which another process has stored it since. They are locked in the
 * order of their ids, because another process that marks the same rows would otherwise be waited for while it waits.
 * @param ids at least one
 * @param now epoch milliseconds
 * @param after what was stored later than this time stays
 */
export async function markUsedRows(
  db: Executor,
  table: 'api_keys' | 'access_tokens' | 's3_keys',
  ids: string[],
  { now, after }: { now: number; after: number },
): Promise<void> {
  await sql`
    update ${sql.table(table)} set last_used_at = ${now} where id in (
      select id from ${sql.table(table)}
      where id in (${sql.join(ids)}) and (last_used_at is null or last_used_at <= ${after})
      order by id ${isOnPostgres(db) ? sql`for no key update` : sql``}
    )`.execute(db);
}
