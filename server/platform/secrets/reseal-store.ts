import { sql } from 'kysely';
import type { Executor } from '../db/port.ts';
import type { KeyUse } from './secrets.ts';

/** A column of values that `seal` returned. The id of the row is unique and in the order of creation. */
export type SealedColumn = {
  table: string;
  column: string;
  use: KeyUse;
  /** The column whose value each sealed value is bound to. */
  context: string;
  /** The column with the MAC by which the row is found. */
  lookup?: { column: string; use: KeyUse };
  /** The kind of the job whose payload contains the sealed value, for the table of jobs. */
  jobKind?: string;
};

export type SealedRow = { id: string; context: string; value: string };

/** Returns up to `limit` rows after the one with the id `after`, in the order of their ids. */
export async function sealedRows(
  db: Executor,
  { table, column, context, jobKind }: SealedColumn,
  after: string,
  limit: number,
): Promise<SealedRow[]> {
  const isOfKind = jobKind ? sql`and kind = ${jobKind}` : sql``;
  const { rows } = await sql<SealedRow>`
    select id, ${sql.ref(context)} as context, ${sql.ref(column)} as value
    from ${sql.table(table)}
    where id > ${after} and ${sql.ref(column)} is not null and ${sql.ref(column)} <> '' ${isOfKind}
    order by id limit ${limit}`.execute(db);
  return rows;
}

/**
 * Replaces a sealed value, unless it has changed since it was read. Returns whether it was replaced.
 */
export async function replaceSealed(
  db: Executor,
  { table, column, lookup }: SealedColumn,
  row: SealedRow,
  next: { value: string; mac: string | null },
): Promise<boolean> {
  const setMac = lookup ? sql`, ${sql.ref(lookup.column)} = ${next.mac}` : sql``;
  const result = await sql`
    update ${sql.table(table)} set ${sql.ref(column)} = ${next.value} ${setMac}
    where id = ${row.id} and ${sql.ref(column)} = ${row.value}`.execute(db);
  return result.numAffectedRows === 1n;
}
