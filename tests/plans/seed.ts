import { sql } from 'kysely';
import type { Executor } from '../../server/platform/db/port.ts';

const ROWS: Record<string, number> = {
  files: 20_000,
  media: 20_000,
  buckets: 10_000,
  users: 10_000,
};
/** Of every other table. Enough that an index is less to read. */
const OTHER_ROWS = 2000;

/**
 * Fills every table of a PostgreSQL database with rows of made-up values, so that its planner has
 * statistics. A text column has as many values as there are rows, and so has a number.
 */
export async function seedPostgres(db: Executor, small: ReadonlySet<string>): Promise<string[]> {
  const { rows } = await sql<{ table: string; column: string; type: string }>`
    select table_name as table, column_name as column, data_type as type
    from information_schema.columns
    where table_schema = 'public' and is_generated = 'NEVER' order by table_name`.execute(db);
  const tables = Map.groupBy(rows, (row) => row.table);
  await db.connection().execute(async (connection) => {
    // Neither references nor triggers concern these rows.
    await sql`set session_replication_role = replica`.execute(connection);
    // No made-up value passes the checks.
    for (const { table, name } of await checks(connection)) {
      await sql`alter table ${sql.table(table)} drop constraint ${sql.ref(name)}`.execute(
        connection,
      );
    }
    for (const [table, columns] of tables) {
      if (small.has(table) || table.startsWith('kysely_')) continue;
      await sql`
        insert into ${sql.table(table)} (${sql.join(columns.map(({ column }) => sql.ref(column)))})
        select ${sql.join(columns.map(madeUpValue))} from generate_series(1, ${sql.lit(ROWS[table] ?? OTHER_ROWS)}) n
        on conflict do nothing`.execute(connection);
    }
  });
  await sql`analyze`.execute(db);
  return [...tables.keys()];
}

const checks = async (db: Executor) =>
  (
    await sql<{ table: string; name: string }>`
      select relname as table, conname as name from pg_constraint
      join pg_class on pg_class.oid = conrelid where contype = 'c'`.execute(db)
  ).rows;

const madeUpValue = ({ column, type }: { column: string; type: string }) => {
  // Half of the files are current, so that the indexes of current files are not empty.
  if (column === 'superseded_at') return sql`case when n % 2 = 0 then n end`;
  return type === 'text' || type === 'character varying' ? sql`'value' || n` : sql`n`;
};
