import { type RawBuilder, sql } from 'kysely';
import type { Database } from './port.ts';
import type { Tables } from './tables.ts';

/**
 * Takes one row of a table that several processes take rows from. Two processes never take the same row:
 * PostgreSQL skips rows that another process has locked, and SQLite has one writer at a time.
 * @param claim.where which rows can be taken; conditions of a partial index must be literals in it
 * @param claim.orderBy the first row in this order is taken
 * @param claim.set marks the row so that `where` no longer matches it
 * @returns the row after the update; null where there is none to take
 */
export async function claimRow<Table extends keyof Tables & string>(
  { engine, db }: Database,
  table: Table,
  claim: { where: RawBuilder<unknown>; orderBy: RawBuilder<unknown>; set: RawBuilder<unknown> },
): Promise<Tables[Table] | null> {
  const from = sql.table(table);
  const skipLocked = engine === 'postgres' ? sql`for update skip locked` : sql``;
  const { rows } = await sql<Tables[Table]>`
    update ${from}
    set ${claim.set}
    where id = (
      select id from ${from}
      where ${claim.where}
      order by ${claim.orderBy}
      limit 1
      ${skipLocked}
    )
    returning *`.execute(db);
  return rows[0] ?? null;
}
