import { type InfiniteData, type QueryKey, useInfiniteQuery } from '@tanstack/react-query';
import type { Page } from '../../server/contract/wire.ts';

const FIRST = '0';

/** All that is kept of one of the admin's lists: invalidating it brings what is shown up to date. */
export const listKey = (name: string) => ['admin', name];

/**
 * One of the admin's lists, newest first, page by page.
 * @param query what is asked for
 * @param first what the page was rendered with, and the query that it belongs to
 */
export function useList<Row, Query extends object>(
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
    ...(isFirst && { initialData: { pages: [first.page], pageParams: [FIRST] } }),
  });
}
