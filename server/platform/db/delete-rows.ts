import { type RawBuilder, sql } from 'kysely';
import { inSlices } from '../slices.ts';
import type { Executor } from './port.ts';
import type { Tables } from './tables.ts';

/**
 * Deletes the rows of a table that meet a condition, in slices.
 * @param condition with `order by` the column of its index, PostgreSQL does not prefer to read the whole
 *   table for some rows of many
 * @param signal ends the work between two slices
 * @param primaryKey its columns
 * @returns how many rows were deleted
 */
export function deleteRows(
  db: Executor,
  table: keyof Tables & string,
  condition: RawBuilder<unknown>,
  signal?: AbortSignal,
  primaryKey: string[] = ['id'],
): Promise<number> {
  const from = sql.table(table);
  const key = sql.join(primaryKey.map((column) => sql.ref(column)));
  return inSlices(async (limit) => {
    const { numAffectedRows = 0n } = await sql`
      delete from ${from}
      where (${key}) in (select ${key} from ${from} where ${condition} limit ${limit})`.execute(db);
    return Number(numAffectedRows);
  }, signal);
}
