import { expressionBuilder, type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import { holdsTerm, type ListRange, paged, rowsOfPage, termsOf } from './listing.ts';
import type { Database } from './port.ts';

/** The folded column of each table that is searched. */
const SEARCHED = {
  audit_log: 'message_key',
  buckets: 'name_key',
  challenges: 'email_key',
  users: 'email_key',
} as const;

/** The tables whose searched column has an index by trigrams, which is named after the table. */
const INDEXED = ['audit_log', 'buckets', 'users'] as const;
type Indexed = (typeof INDEXED)[number];

/** How many rows a search looks through, from the newest on, before it uses the index. */
export const SCANNED_ROWS = 10_000;
/** An index by trigrams knows no shorter words. */
const MIN_INDEXED_LENGTH = 3;
/** More of a word's trigrams hardly narrow a search further. */
const MAX_TRIGRAMS = 32;

/**
 * The rows that a search found, and one more where another page follows. `end` is the id of the last row
 * that the search has examined; null where it has examined all rows.
 */
export type Found<Row> = { rows: Row[]; end: string | null };

// biome-ignore lint/suspicious/noExplicitAny: a query of any tables, of which only the ids are used
type IdQuery = SelectQueryBuilder<any, any, { id: string }>;

/**
 * Searches a list for rows that contain all words, newest first. What many rows contain is found among the
 * newest ones. Otherwise the rows below are searched by an index, which holds few of them. Where no word
 * is long enough for the index, or `isIndexed` is false, the page ends there, and the next one goes on.
 * @param query.ids the ids of the list's rows, with its filters; joins would be made for each row examined
 * @param query.rows what is returned of a row, with its joins
 * @param search.words joined by '&'; all rows match where there are none
 */
export async function searched<DB, From extends keyof DB, Out extends { id: string }>(
  { engine }: Pick<Database, 'engine'>,
  table: keyof typeof SEARCHED,
  query: { ids: IdQuery; rows: SelectQueryBuilder<DB, From, Out> },
  search: ListRange & { words: string | undefined; isIndexed?: boolean },
): Promise<Found<Out>> {
  const id = sql.ref<string>(`${table}.id`);
  const load = (ids: RawBuilder<unknown>) =>
    query.rows.where(sql<boolean>`${id} in ${ids}`).orderBy(id, 'desc').execute();
  const terms = termsOf(search.words ?? '');
  const page = paged(query.ids, table, search);
  if (terms.length === 0) return { rows: await load(sql`${page}`), end: null };
  const isIndexed = search.isIndexed ?? INDEXED.some((one) => one === table);
  const indexed = isIndexed ? terms.filter((term) => trigramsOf(term).length > 0) : [];

  const column = `${table}.${SEARCHED[table]}`;
  const matching = terms.reduce((some, term) => some.where(holdsTerm(term, column)), page);
  const [last] = await page
    .limit(1)
    .offset(SCANNED_ROWS - 1)
    .execute();
  const recent = last ? matching.where(sql<boolean>`${id} >= ${last.id}`) : matching;
  const found = await recent.execute();
  const missing = rowsOfPage(search) - found.length;
  if (last && missing > 0 && indexed.length > 0) {
    const older = matching
      .where(sql<boolean>`${id} < ${last.id}`)
      .where(sql<boolean>`${id} in ${idsIn(engine, table as Indexed, indexed)}`)
      .limit(missing);
    found.push(...(await older.execute()));
  }
  const ids = found.map((row) => row.id);
  const isFull = ids.length === rowsOfPage(search);
  const end = isFull ? ids.at(-1) : indexed.length > 0 ? null : last?.id;
  // A row may be deleted meanwhile. The page is then not full, but `end` tells that it is not the last.
  return { rows: ids.length > 0 ? await load(sql`(${sql.join(ids)})`) : [], end: end ?? null };
}

/** Returns a query, in parentheses, of the ids that the index has for all terms, computed apart from the list. */
function idsIn(engine: Database['engine'], table: Indexed, terms: string[]): RawBuilder<unknown> {
  if (engine === 'sqlite') return sql`${matchesIn(table, terms)}`;
  const matching = sql.join(
    terms.map((term) => holdsTerm(term, SEARCHED[table])),
    sql` and `,
  );
  // As a part of the list, the planner may read all of it in its order instead of the index.
  return sql`(with matching as materialized (
    select id from ${sql.table(table)} where ${matching}
  ) select id from matching)`;
}

/** Returns the same for SQLite. It is built of nodes, because a text would get no deadline (sqlite/add-deadline.ts). */
function matchesIn(table: Indexed, terms: string[]) {
  const index = `${table}_search`;
  const match = terms
    .flatMap((term) => trigramsOf(term).slice(0, MAX_TRIGRAMS))
    .map((trigram) => `"${trigram.replaceAll('"', '""')}"`)
    .join(' AND ');
  // A cross join is how SQLite is told to read the index first.
  return expressionBuilder<Record<string, Record<string, unknown>>>()
    .selectFrom(index)
    .crossJoin(table)
    .select(`${table}.id`)
    .whereRef(`${table}.rowid`, '=', `${index}.rowid`)
    .where(sql<boolean>`${sql.table(index)} match ${match}`);
}

/** Returns the runs of three characters of a term, each once; none of a shorter one. */
function trigramsOf(term: string): string[] {
  const characters = [...term];
  const starts = characters.slice(MIN_INDEXED_LENGTH - 1).keys();
  const trigrams = [...starts].map((at) => characters.slice(at, at + MIN_INDEXED_LENGTH).join(''));
  return [...new Set(trigrams)];
}
