import { type QueryClient, type QueryKey, useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { SECOND } from '../../../server/contract/limits.ts';
import {
  type AnyPage,
  type Pages,
  pagesToRefresh,
  type RowRange,
  reloadPage,
  visiblePages,
  withPages,
} from './pages.ts';

/** How often a list is refreshed while a row that can be seen changes by itself. */
export const BUSY_INTERVAL_MS = 2 * SECOND;

/** A page that is scrolled past faster than this is not reloaded. */
const SETTLE_MS = 150;

const UP_TO_DATE: string[] = [];

/**
 * Keeps a list up to date that is loaded page by page: reloads the pages that can be seen, and the first one for new
 * rows. It does so when `refreshKey` is invalidated, when the window gets the focus, and every two seconds while a row
 * that can be seen is busy. Other pages are reloaded once they can be seen. So a long list costs no more than a short one.
 * Its own query has to be 'static', as it would load all of its pages again.
 * @param listKey the key of the list
 * @param refreshKey the key of this query, whose data are the cursors of the pages that may be out of date
 * @param isBehind whether a cursor is behind another one in the list
 * @param isBusy whether a row changes by itself
 * @param list undefined while it is loading
 * @param since when the list was loaded, in ms; 0 while it is loading
 */
export function usePageRefresh<Page extends AnyPage>({
  listKey,
  refreshKey,
  load,
  isBehind,
  isBusy,
  list,
  since,
  visibleRows,
}: {
  listKey: QueryKey;
  refreshKey: QueryKey;
  load: (cursor: string) => Promise<Page>;
  isBehind: (cursor: string, other: string) => boolean;
  isBusy: (row: Page['data'][number]) => boolean;
  list: Pages<Page> | undefined;
  since: number;
  visibleRows: RowRange;
}) {
  const isScroll = useRef(false);
  const { data: outdated, refetch } = useQuery({
    queryKey: refreshKey,
    enabled: list !== undefined,
    initialData: UP_TO_DATE,
    // A list that is still loading is up to date.
    initialDataUpdatedAt: () => since || Date.now(),
    refetchInterval: refreshInterval(list, visibleRows, isBusy),
    queryFn: async ({ client, signal }) => {
      const before = client.getQueryData<Pages<Page>>(listKey);
      if (!before) return UP_TO_DATE;
      const cursors = pagesToRefresh(before, visibleRows).map((at) => before.pageParams[at] ?? '');
      const own = client.getQueryState<string[]>(refreshKey);
      // A refresh that was not for scrolling says that any row may have changed, also one that scrolling has cancelled.
      const mayBeOutdated =
        isScroll.current && !own?.isInvalidated ? (own?.data ?? UP_TO_DATE) : before.pageParams;
      isScroll.current = false;
      const fresh = await Promise.all(
        cursors.map(async (cursor) => {
          const end = endOf(before, before.pageParams.indexOf(cursor));
          return [cursor, await reloadPage(load, cursor, end, isBehind)] as const;
        }),
      );
      await waitForNextPage(client, listKey);
      // A row was deleted in the meantime, and the loaded pages may still contain it.
      signal.throwIfAborted();
      client.setQueryData<Pages<Page>>(listKey, (now) => now && withPages(now, new Map(fresh)));
      return mayBeOutdated.filter((cursor) => !cursors.includes(cursor));
    },
  });
  const seen = list ? outdatedIn(list, visibleRows, outdated).join(' ') : '';
  useEffect(() => {
    if (seen === '') return;
    const timer = setTimeout(() => {
      isScroll.current = true;
      void refetch();
    }, SETTLE_MS);
    return () => clearTimeout(timer);
  }, [seen, refetch]);
}

/** Returns the cursor up to which a page is reloaded: that of the next one, or where the list ended. */
const endOf = ({ pages, pageParams }: Pages<AnyPage>, at: number): string | null =>
  pageParams[at + 1] ?? pages[at]?.nextId ?? null;

/** Returns the cursors of the pages that can be seen and may be out of date. */
export const outdatedIn = (list: Pages<AnyPage>, visible: RowRange, outdated: readonly string[]) =>
  visiblePages(list, visible).flatMap((at) => {
    const cursor = list.pageParams[at] ?? '';
    return outdated.includes(cursor) ? cursor : [];
  });

/** Returns after how many ms a list is refreshed; false unless a row on a page that can be seen is busy. */
export function refreshInterval<Page extends AnyPage>(
  list: Pages<Page> | undefined,
  visible: RowRange,
  isBusy: (row: Page['data'][number]) => boolean,
): number | false {
  const isAnyBusy =
    list && visiblePages(list, visible).some((at) => list.pages[at]?.data.some(isBusy));
  return isAnyBusy ? BUSY_INTERVAL_MS : false;
}

/**
 * Waits for the next page of a list if it is being loaded. react-query appends it to the list as it
 * was when loading began, which would undo a change that is made in between.
 */
async function waitForNextPage(client: QueryClient, queryKey: QueryKey) {
  const query = client.getQueryCache().find({ queryKey, exact: true });
  if (query?.state.fetchStatus === 'fetching') await query.promise?.catch(() => {});
}
