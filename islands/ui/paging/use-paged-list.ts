import { type QueryKey, useInfiniteQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { Page } from '../../../server/contract/wire.ts';
import type { Pages, RowRange } from './pages.ts';
import { usePageRefresh } from './use-page-refresh.ts';

/**
 * Loads a list page by page, and reloads what can be seen of it when `within` is invalidated. Returns the query with
 * the loaded rows, and what reports the rows that can be seen.
 * @param within the key of all queries that change together with the list
 * @param key what tells the list from the other queries within it
 * @param start the cursor of the first page
 * @param first the first page, if the document was rendered with it
 * @param isBehind whether a cursor is behind another one in the list
 * @param isBusy whether a row changes by itself
 * @param canKeepRows whether the rows of a list with another key stay until those of this one are loaded
 */
export function usePagedList<Row extends { id: string }, Found extends Page<Row> = Page<Row>>({
  within,
  key,
  start,
  first = null,
  load,
  isBehind,
  isBusy,
  canKeepRows,
}: {
  within: QueryKey;
  key: QueryKey;
  start: string;
  first?: Found | null;
  load: (cursor: string) => Promise<Found>;
  isBehind: (cursor: string, other: string) => boolean;
  isBusy: (row: Row) => boolean;
  canKeepRows: (key: QueryKey) => boolean;
}) {
  const [openedAt] = useState(Date.now);
  const [visibleRows, setVisibleRows] = useState<RowRange>([0, 0]);
  const listKey = [...within, ...key];
  const list = useInfiniteQuery<Found, Error, Pages<Found>, QueryKey, string>({
    queryKey: listKey,
    queryFn: ({ pageParam }) => load(pageParam),
    initialPageParam: start,
    getNextPageParam: ({ nextId }) => nextId,
    placeholderData: (before, query) => (query && canKeepRows(query.queryKey) ? before : undefined),
    // A refetch would load all pages again, which are hundreds in a long list.
    staleTime: 'static',
    ...(first && {
      initialData: { pages: [first], pageParams: [start] },
      initialDataUpdatedAt: openedAt,
    }),
  });
  usePageRefresh({
    listKey,
    refreshKey: [...within, 'refresh', ...key],
    load,
    isBehind,
    isBusy,
    list: list.isPlaceholderData ? undefined : list.data,
    since: list.dataUpdatedAt,
    visibleRows,
  });
  const pages = list.data?.pages;
  const rows = useMemo(() => pages?.flatMap<Row>(({ data }) => data) ?? [], [pages]);
  return { ...list, rows, onVisibleRows: setVisibleRows };
}
