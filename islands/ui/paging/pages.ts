import type { InfiniteData } from '@tanstack/react-query';

/** One page of a list; `nextId` is the cursor of the next one, null at the end. */
export type AnyPage = { data: { id: string }[]; nextId: string | null };

/**
 * The loaded pages of a list. Each has a range of positions, from its cursor (exclusive) to that of the next one
 * (inclusive). New and deleted rows change how many rows a page has, but never its range. So any page can be reloaded on
 * its own.
 */
export type Pages<Page extends AnyPage> = InfiniteData<Page, string>;

/** The first and the last row that can be seen. */
export type RowRange = readonly [number, number];

/** Returns the index of the page that has a row, or of the last page if there is no such row. */
export function pageAt({ pages }: Pages<AnyPage>, row: number): number {
  let before = 0;
  const at = pages.findIndex(({ data }) => {
    before += data.length;
    return row < before;
  });
  return at < 0 ? Math.max(0, pages.length - 1) : at;
}

/** Returns the indexes of the pages that can be seen. */
export function visiblePages(list: Pages<AnyPage>, [first, last]: RowRange): number[] {
  const [from, to] = [pageAt(list, first), pageAt(list, last)];
  return Array.from({ length: to - from + 1 }, (_, at) => from + at);
}

/** Returns the indexes of the pages that can be seen, and of the first for new rows. */
export const pagesToRefresh = (list: Pages<AnyPage>, visible: RowRange): number[] => [
  ...new Set([0, ...visiblePages(list, visible)]),
];

/**
 * Reloads a page up to the cursor `end` of the next one, which is null if it was the last page. New rows may have pushed
 * others beyond the limit of one call, so it may take several. Where rows have gone, the page has rows of the next one,
 * too: `withPages` leaves each row to one page.
 * @param isBehind whether a cursor is behind another one in the list
 */
export async function reloadPage<Page extends AnyPage>(
  load: (cursor: string) => Promise<Page>,
  cursor: string,
  end: string | null,
  isBehind: (cursor: string, other: string) => boolean,
): Promise<Page> {
  let page = await load(cursor);
  while (end !== null && page.nextId !== null && isBehind(end, page.nextId)) {
    const more = await load(page.nextId);
    page = { ...page, data: [...page.data, ...more.data], nextId: more.nextId };
  }
  return page;
}

/**
 * Returns the list with pages replaced by those with the same cursor in `fresh`. A row that several pages have now, as
 * rows between have gone or it has moved, stays in the last of the fresh ones. Behind a fresh page that is the last one
 * now, nothing is left.
 */
export function withPages<Page extends AnyPage>(
  { pages, pageParams }: Pages<Page>,
  fresh: ReadonlyMap<string, Page>,
): Pages<Page> {
  const replaced = pages.map((page, at) => fresh.get(pageParams[at] ?? '') ?? page);
  const last = replaced.findIndex((page, at) => page !== pages[at] && page.nextId === null);
  const kept = last < 0 ? replaced : replaced.slice(0, last + 1);
  const owners = new Map<string, number>();
  for (const [at, page] of kept.entries()) {
    if (page !== pages[at]) for (const { id } of page.data) owners.set(id, at);
  }
  return {
    pages: kept.map((page, at) => {
      const isOwn = ({ id }: { id: string }) => (owners.get(id) ?? at) === at;
      return page.data.every(isOwn) ? page : { ...page, data: page.data.filter(isOwn) };
    }),
    pageParams: pageParams.slice(0, kept.length),
  };
}
