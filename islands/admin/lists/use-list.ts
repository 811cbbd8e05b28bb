import { type InfiniteData, type QueryKey, useInfiniteQuery } from '@tanstack/react-query';
import { SECOND } from '../../../server/contract/limits.ts';
import type { Page } from '../../../server/contract/wire.ts';

const FIRST = '0';
/** What is being deleted goes by itself. */
const DELETING_INTERVAL = 2 * SECOND;

/** All that is kept of one of the admin's lists: invalidating it brings what is shown up to date. */
export const listKey = (name: string) => ['admin', name];

/**
 * One of the admin's lists, newest first, page by page.
 * @param query what is asked for
 * @param first what the page was rendered with, and the query that it belongs to
 */
export function useList<Row extends object, Query extends object>(
  name: string,
  query: Query,
  first: { page: Page<Row>; query: Query },
  load: (query: Query & { cursor: string }) => Promise<Page<Row>>,
) {
  const isFirst = JSON.stringify(query) === JSON.stringify(first.query);
  return useInfiniteQuery<Page<Row>, Error, InfiniteData<Page<Row>, string>, QueryKey, string>({
    queryKey: [...listKey(name), query],
    queryFn: ({ pageParam }) => load({ ...query, cursor: pageParam }),
    initialPageParam: FIRST,
    getNextPageParam: (page) => page.nextId,
    refetchInterval: ({ state }) =>
      state.data?.pages.some((page) => page.data.some(isGoing)) ? DELETING_INTERVAL : false,
    ...(isFirst && { initialData: { pages: [first.page], pageParams: [FIRST] } }),
  });
}

const isGoing = (row: object) => 'status' in row && row.status === 'deleting';
