import type { InfiniteData } from '@tanstack/react-query';
import type { FilePageWire } from '../../../server/contract/wire.ts';

/**
 * Loaded pages, newest first. Each is a range of ids, from its cursor (excluded) down to its
 * `nextId` (included): files that come or go later change how many it holds, never its range. So
 * any page can be loaded again by itself, and none is ever there twice or missing in between.
 */
export type FilePages = InfiniteData<FilePageWire, string>;

export const FIRST = '0';

/** Which page holds a row of all, counted from 0; the last one where there is no such row. */
export function pageAt({ pages }: FilePages, row: number): number {
  let before = 0;
  const at = pages.findIndex(({ data }) => {
    before += data.length;
    return row < before;
  });
  return at < 0 ? Math.max(0, pages.length - 1) : at;
}

/**
 * What now is in the range of the page at `cursor`, which ended at `end`: null where nothing came
 * after it. New files have pushed others over the end of what one call answers, so it may take more.
 */
export async function loadAgain(
  load: (cursor: string) => Promise<FilePageWire>,
  cursor: string,
  end: string | null,
): Promise<FilePageWire> {
  let page = await load(cursor);
  if (end === null) return page;
  while (page.nextId !== null && page.nextId > end) {
    const more = await load(page.nextId);
    page = { ...page, data: [...page.data, ...more.data], nextId: more.nextId };
  }
  const data = page.data.filter(({ id }) => id >= end);
  const isAll = page.nextId === null && data.length === page.data.length;
  return { ...page, data, nextId: isAll ? null : end };
}

/** The list with pages in place of those that were at their cursors. */
export function withPages(list: FilePages, fresh: Map<string, FilePageWire>): FilePages {
  const pages = list.pages.map((page, at) => fresh.get(list.pageParams[at] ?? '') ?? page);
  return { ...list, pages };
}
