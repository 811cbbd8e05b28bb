import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import { isTimeZone, startOfDay } from '../../contract/dates/time-zones.ts';
import { DAY, PAGE_SIZE } from '../../contract/limits.ts';
import type { Page } from '../../contract/wire.ts';
import { badRequest } from '../../errors.ts';
import { firstIdAt } from '../ids.ts';
import type { Tables } from './tables.ts';

/**
 * The range that every list accepts. `from` and `to` are days (yyyy-MM-dd), both inclusive, in the time zone
 * `tz`, which is UTC where it is missing or empty.
 */
export type ListRange = {
  cursor?: string;
  limit?: number;
  from?: string;
  to?: string;
  tz?: string;
};

/** The cursor of the first page. */
export const FIRST_PAGE = '0';

/** Returns the failure for a cursor of another order. */
export const otherCursor = () =>
  badRequest('cursor must be 0 or a nextId from an earlier response in the same order.');

/** Throws bad-request for a cursor that is not an id, where rows are listed by their ids. */
export function requireIdCursor({ cursor }: ListRange): void {
  if (cursor?.includes('.')) throw otherCursor();
}

/** How many rows a query of a page reads: one more than the page holds, for `toPage`. */
export const rowsOfPage = ({ limit = PAGE_SIZE }: ListRange): number => limit + 1;

/** Throws bad-request for a `tz` that is not the name of a time zone. */
export function requireTimeZone({ tz }: ListRange): void {
  if (tz && !isTimeZone(tz)) throw badRequest('tz must be an IANA time zone like Europe/Berlin.');
}

/**
 * Narrows a query to one page, newest first. Ids sort by time, so the page and its days are a range of
 * ids, which an index that ends in the id finds without reading other rows. The query asks for one row
 * more than the page holds, which `toPage` turns into the next cursor. Throws bad-request for another `tz`.
 */
export function paged<DB, From extends keyof DB, Out>(
  query: SelectQueryBuilder<DB, From, Out>,
  table: keyof Tables & string,
  range: ListRange,
): SelectQueryBuilder<DB, From, Out> {
  const id = sql.ref<string>(`${table}.id`);
  const { cursor } = range;
  const { first, end } = idsOfDays(range);
  let narrowed = query.orderBy(id, 'desc').limit(rowsOfPage(range));
  if (cursor && cursor !== FIRST_PAGE) narrowed = narrowed.where(sql<boolean>`${id} < ${cursor}`);
  if (first) narrowed = narrowed.where(sql<boolean>`${id} >= ${first}`);
  if (end) narrowed = narrowed.where(sql<boolean>`${id} < ${end}`);
  return narrowed;
}

/** Returns the first id of the days of a range, and the first behind them. Throws bad-request for another `tz`. */
export function idsOfDays(range: ListRange): { first: string | null; end: string | null } {
  const { from, to, tz } = range;
  requireTimeZone(range);
  const firstIdOf = (utcDay: number) => firstIdAt(tz ? startOfDay(utcDay, tz) : utcDay);
  return {
    first: from ? firstIdOf(Date.parse(from)) : null,
    end: to ? firstIdOf(Date.parse(to) + DAY) : null,
  };
}

/**
 * Drops the row that is one too many, and makes the row before it the next cursor.
 * @param end the next cursor of a page that is not full: the last row that a search has examined
 */
export function toPage<Row extends { id: string }, Wire>(
  rows: Row[],
  limit: number = PAGE_SIZE,
  toWire: (row: Row) => Wire,
  end: string | null = null,
): Page<Wire> {
  const page = rows.slice(0, limit);
  return {
    data: page.map(toWire),
    nextId: rows.length > limit ? (page.at(-1)?.id ?? null) : end,
  };
}

/** Folds a name for a `_key` column, so that both engines find it whatever its case. */
export const foldName = (name: string): string => name.normalize('NFC').toLowerCase();

/** Returns the folded words of a search, which are joined by '&'. */
export const termsOf = (words: string): string[] =>
  foldName(words)
    .split('&')
    .map((term) => term.trim())
    .filter(Boolean);

/** Returns a condition that is true where a folded column contains a folded term. */
export function holdsTerm(term: string, column: string): RawBuilder<boolean> {
  const pattern = `%${term.replace(/[\\%_]/g, '\\$&')}%`;
  return sql<boolean>`${sql.ref(column)} like ${pattern} escape '\\'`;
}
