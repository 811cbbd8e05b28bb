import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import type { SortOrder } from '../../contract/files/file-order.ts';
import { FIRST_PAGE, type ListRange, otherCursor, rowsOfPage } from './listing.ts';
import { SCANNED_ROWS } from './search.ts';

/** The ids of a page in their order, and the cursor of the next one; null where there is none. */
export type SortedPage = { ids: string[]; next: string | null };

// biome-ignore lint/suspicious/noExplicitAny: a query of any tables, of which only the keys are read
type AnyQuery = SelectQueryBuilder<any, any, any>;

type Order = {
  /** The columns of an index: whole numbers, and the id as the last one. */
  columns: readonly [...string[], string];
  order: SortOrder;
};

/**
 * Returns a page of ids in the order of an index. The cursor is the place of the last row in it, so that a page costs the
 * same wherever it is. What the index does not narrow is looked for in SCANNED_ROWS rows, so that a page can have few
 * rows or none before the last one. Throws bad-request for a cursor of another order.
 * @param query what is listed, with what an index narrows
 * @param conditions what else must be true of a row
 */
export async function sortedPage(
  query: AnyQuery,
  { columns, order }: Order,
  range: Pick<ListRange, 'cursor' | 'limit'>,
  conditions: RawBuilder<boolean>[],
): Promise<SortedPage> {
  const place = sql`(${sql.join(columns.map((column) => sql.ref(column)))})`;
  const [behind, upTo] = order === 'asc' ? [sql`>`, sql`<=`] : [sql`<`, sql`>=`];
  let listed = query.select(
    columns.map((column, at) => sql.ref(column).as(at === columns.length - 1 ? 'id' : `key${at}`)),
  );
  for (const column of columns) listed = listed.orderBy(sql.ref(column), order);
  const after = placeOf(range, columns.length);
  if (after) listed = listed.where(sql<boolean>`${place} ${behind} (${sql.join(after)})`);

  const [last] =
    conditions.length > 0
      ? await listed
          .limit(1)
          .offset(SCANNED_ROWS - 1)
          .execute()
      : [];
  let page = listed.limit(rowsOfPage(range));
  if (last)
    page = page.where(sql<boolean>`${place} ${upTo} (${sql.join(keysOf(last, columns.length))})`);
  for (const condition of conditions) page = page.where(condition);
  const found = await page.execute();
  const limit = rowsOfPage(range) - 1;
  const rows = found.slice(0, limit);
  const end = found.length > limit ? rows.at(-1) : last;
  return {
    ids: rows.map(({ id }) => id),
    next: end ? keysOf(end, columns.length).join('.') : null,
  };
}

type Keys = { id?: string } & Record<string, string | number | undefined>;

const keysOf = (row: Keys, count: number): (string | number)[] => [
  ...Array.from({ length: count - 1 }, (_, at) => row[`key${at}`] ?? 0),
  row.id ?? '',
];

/** Returns the keys of a cursor, or null for the first page. */
function placeOf({ cursor }: Pick<ListRange, 'cursor'>, count: number) {
  if (!cursor || cursor === FIRST_PAGE) return null;
  const parts = cursor.split('.');
  if (parts.length !== count) throw otherCursor();
  return parts.map((part, at) => (at === count - 1 ? part : Number(part)));
}
