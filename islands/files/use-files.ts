import {
  type InfiniteData,
  keepPreviousData,
  type QueryClient,
  type QueryKey,
  useInfiniteQuery,
  useQuery,
} from '@tanstack/react-query';
import { useState } from 'react';
import { isBehind, positionOf } from '../../server/contract/files/file-order.ts';
import { PAGE_SIZE, SECOND } from '../../server/contract/limits.ts';
import type { FilePageWire } from '../../server/contract/wire.ts';
import { call } from '../runtime/api.ts';
import { filesKey } from '../uploads/shared.ts';
import { callParamsOf, type FileView, type Sorting, sortingOf } from './file-filters.tsx';

export const PROCESSING_INTERVAL_MS = 2 * SECOND;

/** The query key of the file lists. There is one list for each set of filters. */
export const listsKey = (bucketId: string) => [...filesKey(bucketId), 'lists'];

/**
 * Loads a bucket's files page by page, and keeps them up to date.
 * @param folder the folder whose files are listed, with those of the folders in it; null for the whole bucket
 * @param first the page of files that the document was rendered with, and the call's parameters for it
 * @param visibleRows the first and the last visible row
 */
export function useFiles(
  bucketId: string,
  { view, folder }: { view: FileView; folder: string | null },
  first: { page: FilePageWire; query: object },
  visibleRows: readonly [number, number],
) {
  const query = callParamsOf(view, folder);
  const isFirst = JSON.stringify(query) === JSON.stringify(first.query);
  const [openedAt] = useState(Date.now);
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
    // While another filter loads, the rows of the one before stay.
    placeholderData: keepPreviousData,
    // A refetch would load all pages again, which are hundreds in a large bucket.
    staleTime: 'static',
    ...(isFirst && {
      initialData: { pages: [first.page], pageParams: [FIRST] },
      initialDataUpdatedAt: openedAt,
    }),
  });
  useRefresh({
    ownKey: [...filesKey(bucketId), 'refresh', query],
    listKey,
    load,
    sorting: sortingOf(view, 'date'),
    list: list.isPlaceholderData ? undefined : list.data,
    since: list.dataUpdatedAt,
    visibleRows,
  });
  return list;
}

/**
 * Reloads the visible pages, and the first page for new files. It does so when the
 * bucket's files are invalidated, when the window gets the focus, and every two seconds while a
 * visible file is processed. A long list costs no more than a short one.
 * @param since when the list was loaded, in ms; 0 while it is loading
 */
function useRefresh({
  ownKey,
  listKey,
  load,
  sorting,
  list,
  since,
  visibleRows,
}: {
  ownKey: QueryKey;
  listKey: QueryKey;
  load: (cursor: string) => Promise<FilePageWire>;
  sorting: Sorting;
  list: FilePages | undefined;
  since: number;
  visibleRows: readonly [number, number];
}) {
  useQuery({
    queryKey: ownKey,
    enabled: list !== undefined,
    initialData: null,
    // A list that is still loading is up to date.
    initialDataUpdatedAt: () => since || Date.now(),
    refetchInterval: refreshInterval(list, visibleRows),
    queryFn: async ({ client, signal }) => {
      const before = client.getQueryData<FilePages>(listKey);
      if (!before) return null;
      const fresh = await Promise.all(
        pagesToRefresh(before, visibleRows).map(async (at) => {
          const cursor = before.pageParams[at] ?? '';
          const end = before.pages[at]?.nextId ?? null;
          return [cursor, await reloadPage(load, cursor, end, sorting)] as const;
        }),
      );
      await waitForNextPage(client, listKey);
      // A file was deleted in the meantime, and the loaded pages may still contain it.
      signal.throwIfAborted();
      client.setQueryData<FilePages>(listKey, (now) => now && withPages(now, new Map(fresh)));
      return null;
    },
  });
}

/** Returns after how many ms a list is refreshed; false unless a visible file is processed. */
export function refreshInterval(
  list: FilePages | undefined,
  visibleRows: readonly [number, number],
) {
  const isProcessing =
    list && visiblePages(list, visibleRows).some((at) => isAnyProcessing(list, at));
  return isProcessing ? PROCESSING_INTERVAL_MS : false;
}

/** Returns the indexes of the visible pages, and of the first for new files. */
export const pagesToRefresh = (list: FilePages, visibleRows: readonly [number, number]) => [
  ...new Set([0, ...visiblePages(list, visibleRows)]),
];

const visiblePages = (list: FilePages, [first, last]: readonly [number, number]) => {
  const [from, to] = [pageAt(list, first), pageAt(list, last)];
  return Array.from({ length: to - from + 1 }, (_, at) => from + at);
};

const isAnyProcessing = (list: FilePages, at: number) =>
  list.pages[at]?.data.some(({ status }) => status === 'processing') ?? false;

/**
 * Waits for the next page of a list if it is being loaded. react-query appends it to the list as it
 * was when loading began, which would undo a change that is made in between.
 */
async function waitForNextPage(client: QueryClient, queryKey: QueryKey) {
  const query = client.getQueryCache().find({ queryKey, exact: true });
  if (query?.state.fetchStatus === 'fetching') await query.promise?.catch(() => {});
}

/**
 * Loaded pages. Each page is a range of positions, from its cursor (exclusive) to its `nextId`
 * (inclusive). New and deleted files change how many files a page has, but never its range.
 * So any page can be reloaded on its own, and no file appears twice or is missing in between.
 */
export type FilePages = InfiniteData<FilePageWire, string>;

export const FIRST = '0';

/** Returns the index of the page that has a row, or of the last page if there is no such row. */
export function pageAt({ pages }: FilePages, row: number): number {
  let before = 0;
  const at = pages.findIndex(({ data }) => {
    before += data.length;
    return row < before;
  });
  return at < 0 ? Math.max(0, pages.length - 1) : at;
}

/**
 * Reloads the page at `cursor` up to the position `end`, which is null if it was the last page. New files
 * may have pushed others beyond the limit of one call, so it may take several.
 */
export async function reloadPage(
  load: (cursor: string) => Promise<FilePageWire>,
  cursor: string,
  end: string | null,
  { sort, order }: Sorting,
): Promise<FilePageWire> {
  let page = await load(cursor);
  if (end === null) return page;
  while (page.nextId !== null && isBehind(end, page.nextId, order)) {
    const more = await load(page.nextId);
    page = { ...page, data: [...page.data, ...more.data], nextId: more.nextId };
  }
  const data = page.data.filter((file) => !isBehind(positionOf(file, sort), end, order));
  const isAll = page.nextId === null && data.length === page.data.length;
  return { ...page, data, nextId: isAll ? null : end };
}

/** Returns the list with pages replaced by those with the same cursor in `fresh`. */
export function withPages(list: FilePages, fresh: Map<string, FilePageWire>): FilePages {
  const pages = list.pages.map((page, at) => fresh.get(list.pageParams[at] ?? '') ?? page);
  return { ...list, pages };
}
