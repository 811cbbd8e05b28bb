import {
  type InfiniteData,
  type QueryClient,
  type QueryKey,
  useInfiniteQuery,
  useQuery,
} from '@tanstack/react-query';
import { useState } from 'react';
import { MINUTE, PAGE_SIZE, SECOND } from '../../server/contract/limits.ts';
import type { FilePageWire } from '../../server/contract/wire.ts';
import { call } from '../runtime/api.ts';
import { filesKey } from '../uploads/shared.ts';
import { type FileView, paramsOf } from './file-filters.tsx';

const PROCESSING_INTERVAL = 2 * SECOND;
/** The first page's token for private files lives an hour. */
const TOKEN_INTERVAL = 30 * MINUTE;

/** The loaded files, in a list for each view. */
export const listsKey = (bucketId: string) => [...filesKey(bucketId), 'lists'];

/**
 * A bucket's files in a view, newest first, page by page, and kept up to date by themselves.
 * @param first what the page was rendered with, and the view that it belongs to
 * @param shown the first and the last row that can be seen
 */
export function useFiles(
  bucketId: string,
  view: FileView,
  first: { page: FilePageWire; view: FileView },
  shown: readonly [number, number],
) {
  const query = paramsOf(view);
  const isFirst = JSON.stringify(query) === JSON.stringify(paramsOf(first.view));
  const [opened] = useState(Date.now);
  const load = (cursor: string): Promise<FilePageWire> =>
    call('GET /files/:bucketID', {
      params: { bucketID: bucketId },
      query: { ...query, cursor, limit: PAGE_SIZE },
    });

  const listKey = [...listsKey(bucketId), query];
  const list = useInfiniteQuery<FilePageWire, Error, FilePages, QueryKey, string>({
    queryKey: listKey,
    queryFn: ({ pageParam }) => load(pageParam),
    initialPageParam: FIRST,
    getNextPageParam: (page: FilePageWire) => page.nextId,
    // It would be all pages that are asked for again, hundreds in a large bucket.
    staleTime: 'static',
    ...(isFirst && {
      initialData: { pages: [first.page], pageParams: [FIRST] },
      initialDataUpdatedAt: opened,
    }),
  });
  useRefresh({
    ownKey: [...filesKey(bucketId), 'refresh', query],
    listKey,
    load,
    list: list.data,
    since: list.dataUpdatedAt,
    shown,
  });
  return list;
}

/**
 * Loads the pages again that can be seen, and the first one for its token and for new files: at
 * once when the bucket's files are invalidated, by the clock while any row that can be seen is
 * processing, and as the window gets the focus. A long list costs no more than a short one.
 * @param since when the list was loaded, in ms; 0 while it is
 */
function useRefresh({
  ownKey,
  listKey,
  load,
  list,
  since,
  shown,
}: {
  ownKey: QueryKey;
  listKey: QueryKey;
  load: (cursor: string) => Promise<FilePageWire>;
  list: FilePages | undefined;
  since: number;
  shown: readonly [number, number];
}) {
  const isProcessing = list && seenPages(list, shown).some((at) => isAnyProcessing(list, at));
  useQuery({
    queryKey: ownKey,
    enabled: list !== undefined,
    initialData: null,
    // What is only now being loaded is up to date.
    initialDataUpdatedAt: () => since || Date.now(),
    refetchInterval: isProcessing ? PROCESSING_INTERVAL : TOKEN_INTERVAL,
    queryFn: async ({ client, signal }) => {
      const before = client.getQueryData<FilePages>(listKey);
      if (!before) return null;
      const fresh = await Promise.all(
        [...new Set([0, ...seenPages(before, shown)])].map(async (at) => {
          const cursor = before.pageParams[at] ?? '';
          const end = before.pages[at]?.nextId ?? null;
          return [cursor, await loadAgain(load, cursor, end)] as const;
        }),
      );
      await endOfFetch(client, listKey);
      // Something was deleted meanwhile: what was loaded still has it.
      signal.throwIfAborted();
      client.setQueryData<FilePages>(listKey, (now) => now && withPages(now, new Map(fresh)));
      return null;
    },
  });
}

const seenPages = (list: FilePages, [first, last]: readonly [number, number]) => {
  const [from, to] = [pageAt(list, first), pageAt(list, last)];
  return Array.from({ length: to - from + 1 }, (_, at) => from + at);
};

const isAnyProcessing = (list: FilePages, at: number) =>
  list.pages[at]?.data.some(({ status }) => status === 'processing') ?? false;

/** The next page, once there, is added to the list as it was when it was asked for. */
async function endOfFetch(client: QueryClient, queryKey: QueryKey) {
  const query = client.getQueryCache().find({ queryKey, exact: true });
  if (query?.state.fetchStatus === 'fetching') await query.promise?.catch(() => {});
}

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
