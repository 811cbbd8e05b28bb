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
  claim: Claim,
): Promise<Tables[Table] | null> {
  const { rows } = await claimOf(database.engine, table, claim).execute(database.db);
  return rows[0] ?? null;
}

type Claim = { from: [Candidates, ...Candidates[]]; set: RawBuilder<unknown> };

/** Returns the statement of claimRow(), which takes far longer to build than to run. */
export function claimOf<Table extends keyof Tables & string>(
  engine: Database['engine'],
  table: Table,
  claim: Claim,
): RawBuilder<Tables[Table]> {
  const ids = claim.from.map((candidates) => sql`(${unlocked(engine, table, candidates, 1)})`);
  const id = ids.length > 1 ? sql`coalesce(${sql.join(ids)})` : ids[0];
  return sql<Tables[Table]>`
    update ${sql.table(table)} set ${claim.set} where id = ${id} returning *`;
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
  const ids = unlocked(database.engine, table, candidates, limit);
  // PostgreSQL could run a subquery in `in` several times, and then take more rows each time.
  const isAmongThem =
    database.engine === 'postgres' ? sql`id = any(array(${ids}))` : sql`id in (${ids})`;
  await sql`update ${sql.table(table)} set ready = 1 where ${isAmongThem}`.execute(database.db);
}

const unlocked = (
  engine: Database['engine'],
  table: string,
  { where, orderBy }: Candidates,
  limit: number,
) => sql`
  select id from ${sql.table(table)} where ${where} order by ${orderBy} limit ${limit}
  ${engine === 'postgres' ? sql`for update skip locked` : sql``}`;
