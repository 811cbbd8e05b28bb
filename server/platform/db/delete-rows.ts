import { type RawBuilder, sql } from 'kysely';
import { inSlices } from '../slices.ts';
import type { Executor } from './port.ts';
import type { Tables } from './tables.ts';

/**
 * Deletes the rows of a table that meet a condition, in slices. The table's primary key is `id`.
 * @param signal ends the work between two slices
 * @returns how many rows were deleted
 */
export function deleteRows(
  db: Executor,
  table: keyof Tables & string,
  condition: RawBuilder<unknown>,
  signal?: AbortSignal,
): Promise<number> {
  const from = sql.table(table);
  return inSlices(async (limit) => {
    const { numAffectedRows = 0n } = await sql`
      delete from ${from}
      where id in (select id from ${from} where ${condition} limit ${limit})`.execute(db);
    return Number(numAffectedRows);
  }, signal);
}
