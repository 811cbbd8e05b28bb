import { CompiledQuery, sql } from 'kysely';
import type { Database, Executor } from '../../server/platform/db/port.ts';
import type { Statement } from './recorder.ts';

/** A table that a statement reads from one end to the other, and the line of the plan that says so. */
export type Scan = { table: string; plan: string };

/**
 * Explains a statement and returns the tables in its plan that it reads without looking anything up: as a
 * whole, or along an index from its end.
 */
export async function scansOf(
  engine: Database['engine'],
  db: Executor,
  statement: Statement,
  isTable: (name: string) => boolean,
): Promise<Scan[]> {
  const lines = engine === 'sqlite' ? sqliteScans : postgresScans;
  const aliases = aliasesIn(statement.text);
  const found = await lines(db, statement).catch((error) => {
    throw new Error(`can't explain ${statement.text}: ${error}`);
  });
  return found
    .map(({ table, plan }) => ({ table: aliases.get(table) ?? table, plan }))
    .filter(({ table }) => isTable(table));
}

/** Returns the tables of a statement by the names that it gives them. */
function aliasesIn(text: string): Map<string, string> {
  const matches = text.matchAll(/\b(?:from|join|,)\s+"?(\w+)"?\s+(?:as\s+)?"?(\w+)"?/gi);
  return new Map([...matches].map(([, table = '', alias = '']) => [alias, table]));
}

async function sqliteScans(db: Executor, { text, parameters }: Statement): Promise<Scan[]> {
  const explained = CompiledQuery.raw(`explain query plan ${text}`, parameters);
  const { rows } = await db.executeQuery<{ detail: string }>(explained);
  return rows.flatMap(({ detail }) => {
    const table = /^SCAN (\w+)/.exec(detail)?.[1];
    return table ? [{ table, plan: detail }] : [];
  });
}

const READS_ONE_END = /\b(limit|max\(|min\()/i;
const INDEX_SEARCH = /^SEARCH \S+ USING (COVERING )?INDEX (?<index>\S+) \((?<key>[^<>]*)\)/;
const ROW_SEARCH = /^SEARCH \S+ USING INTEGER PRIMARY KEY \(rowid=\?\)/;

/**
 * Returns the steps of SQLite's plan by which a statement may read more than a few rows: without a limit, those
 * that don't look a row up by a unique key; with one, those that read all rows before the first.
 */
export async function longReadsOf(
  db: Executor,
  { text, parameters }: Statement,
  isGrowing: (name: string) => boolean,
): Promise<string[]> {
  const explained = CompiledQuery.raw(`explain query plan ${text}`, parameters);
  const { rows } = await db.executeQuery<{ detail: string }>(explained);
  const long: string[] = [];
  for (const { detail } of rows) {
    const scanned = /^SCAN (\w+)/.exec(detail)?.[1];
    // A recursive search sorts only what it has found.
    const readsAll = detail.startsWith('USE TEMP B-TREE') && !/\brecursive\b/i.test(text);
    const readsMany =
      (scanned !== undefined && isGrowing(scanned)) ||
      (detail.startsWith('SEARCH') && !ROW_SEARCH.test(detail) && !(await isUnique(db, detail)));
    if (readsAll || (readsMany && !READS_ONE_END.test(text))) long.push(detail);
  }
  return long;
}

/** Whether a step looks a row up by all columns of a unique index. */
async function isUnique(db: Executor, step: string): Promise<boolean> {
  const { index = '', key = '' } = INDEX_SEARCH.exec(step)?.groups ?? {};
  const { rows } = await sql<{ columns: number }>`
    select (select count(*) from pragma_index_info(list.name)) as columns
    from sqlite_master as entry, pragma_index_list(entry.tbl_name) as list
    where entry.type = 'index' and entry.name = ${index} and list.name = ${index} and list."unique" = 1`.execute(
    db,
  );
  return rows[0]?.columns === key.split('=?').length - 1;
}

type Node = {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Index Cond'?: string;
  Plans?: Node[];
};

async function postgresScans(db: Executor, { text, parameters }: Statement): Promise<Scan[]> {
  const explained = CompiledQuery.raw(`explain (format json) ${text}`, parameters);
  const { rows } = await db.executeQuery<{ 'QUERY PLAN': { Plan: Node }[] }>(explained);
  return rows.flatMap((row) => row['QUERY PLAN'].flatMap(({ Plan }) => nodesOf(Plan)));
}

/** They only read the rows that another part of the plan has found. */
const FETCHES = ['Bitmap Heap Scan', 'Tid Scan'];

/** Indexes are read whole by 'Index Scan' and 'Index Only Scan' without a condition. */
function nodesOf(node: Node): Scan[] {
  const { 'Relation Name': table, 'Index Name': index, 'Node Type': type } = node;
  const isWhole = type.includes('Scan') && !node['Index Cond'] && !FETCHES.includes(type);
  const plan = `${type}${index ? ` using ${index}` : ''} on ${table}`;
  const below = (node.Plans ?? []).flatMap(nodesOf);
  return table && isWhole ? [{ table, plan }, ...below] : below;
}
