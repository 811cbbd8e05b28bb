import { type RawBuilder, sql } from 'kysely';
import type { Database } from './port.ts';
import type { Tables } from './tables.ts';

/**
 * Takes one row of a table that several processes take rows from. Two of them never take the same
 * row: on PostgreSQL each passes over what another one is just taking, and on SQLite there is one
 * writer at a time.
 * @param claim.where which rows may be taken; conditions of a partial index stand in it as literals
 * @param claim.orderBy the row that comes first is taken
 * @param claim.set marks the row so that `where` no longer finds it
 * @returns the row as it is then; null where there is none to take
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
