import { sql } from 'kysely';
import type { Executor } from './port.ts';

/** Returns PostgreSQL's time in epoch milliseconds. */
export async function postgresTime(db: Executor): Promise<number> {
  const { rows } = await sql<{ now: number }>`
    select cast(extract(epoch from clock_timestamp()) * 1000 as bigint) as now`.execute(db);
  return rows[0]?.now ?? 0;
}
