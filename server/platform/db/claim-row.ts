import { type RawBuilder, sql } from 'kysely';
import type { Database, SqlBoolean } from './port.ts';
import type { Tables } from './tables.ts';

/** Rows in an order. Conditions of a partial index must be literals in `where`. */
export type Candidates = { where: RawBuilder<unknown>; orderBy: RawBuilder<unknown> };

/**
 * Takes one row of a table that several processes take rows from. Two processes never take the same row:
 * PostgreSQL skips rows that another process has locked, and SQLite has one writer at a time.
 * @param claim.from the first row of the first of these that has one is taken. Each has an index of its
 *   own, where one condition with an `or` would have none
 * @param claim.set marks the row so that it is no candidate any more
 * @returns the row after the update; null where there is none to take
 */
export async function claimRow<Table extends keyof Tables & string>(
  database: Database,
  table: Table,
  claim: { from: [Candidates, ...Candidates[]]; set: RawBuilder<unknown> },
): Promise<Tables[Table] | null> {
  const ids = claim.from.map((candidates) => sql`(${unlocked(database, table, candidates, 1)})`);
  const id = ids.length > 1 ? sql`coalesce(${sql.join(ids)})` : ids[0];
  const { rows } = await sql<Tables[Table]>`
    update ${sql.table(table)} set ${claim.set} where id = ${id} returning *`.execute(database.db);
  return rows[0] ?? null;
}

type Scheduled = {
  [Table in keyof Tables]: Tables[Table] extends { ready: SqlBoolean } ? Table : never;
};

/** Marks at most `limit` rows as ready to be claimed, and skips those that another process is marking. */
export async function markReady(
  database: Database,
  table: Scheduled[keyof Tables],
  candidates: Candidates,
  limit: number,
): Promise<void> {
  const ids = unlocked(database, table, candidates, limit);
  // PostgreSQL could run a subquery in `in` several times, and then take more rows each time.
  const isAmongThem =
    database.engine === 'postgres' ? sql`id = any(array(${ids}))` : sql`id in (${ids})`;
  await sql`update ${sql.table(table)} set ready = 1 where ${isAmongThem}`.execute(database.db);
}

const unlocked = (
  { engine }: Database,
  table: string,
  { where, orderBy }: Candidates,
  limit: number,
) => sql`
  select id from ${sql.table(table)} where ${where} order by ${orderBy} limit ${limit}
  ${engine === 'postgres' ? sql`for update skip locked` : sql``}`;
