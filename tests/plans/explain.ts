import { CompiledQuery } from 'kysely';
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
