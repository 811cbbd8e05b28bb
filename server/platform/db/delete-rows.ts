import { sql } from 'kysely';
import { inSlices } from '../slices.ts';
import type { Candidates } from './claim-row.ts';
import { type Executor, isOnPostgres } from './port.ts';
import type { Tables } from './tables.ts';

/** Returns the rows whose time in a column, which has an index, is before `time`, in epoch milliseconds. */
export const olderThan = (column: string, time: number): Candidates => ({
  where: sql`${sql.ref(column)} < ${time}`,
  orderBy: sql.ref(column),
});

/**
 * Deletes rows of a table in slices. They are found by an index, because PostgreSQL may otherwise read the whole table
 * for some rows of many, and deleted by where they are stored, which costs it a tenth of looking each up by its key. A
 * row that another transaction changes meanwhile is somewhere else afterwards, so the next run decides about it.
 * @param candidates.orderBy the order of their index
 * @param signal ends the work between two slices
 * @returns how many rows were deleted
 */
export function deleteRows(
  db: Executor,
  table: keyof Tables & string,
  { where, orderBy }: Candidates,
  signal?: AbortSignal,
): Promise<number> {
  const from = sql.table(table);
  const isPostgres = isOnPostgres(db);
  return inSlices(async (limit) => {
    const places = (place: string) =>
      sql`select ${sql.ref(place)} from ${from} where ${where} order by ${orderBy} limit ${limit}`;
    const isAmongThem = isPostgres
      ? sql`ctid = any(array(${places('ctid')}))`
      : sql`rowid in (${places('rowid')})`;
    const { numAffectedRows = 0n } = await sql`delete from ${from} where ${isAmongThem}`.execute(
      db,
    );
    return Number(numAffectedRows);
  }, signal);
}
