import { useInfiniteQuery } from '@tanstack/react-query';
import { PAGE_SIZE } from '../../server/contract/limits.ts';
import type { BucketWire, Page } from '../../server/contract/wire.ts';
import { api, call } from '../api.ts';

export const BUCKETS_KEY = ['buckets'];
const FIRST = '0';

/**
 * The viewer's buckets, newest first, page by page.
 * @param name words joined by '&'; empty means all
 * @param first what the page was rendered with, the first page of all
 */
export const useBuckets = (name: string, first: Page<BucketWire>) =>
  useInfiniteQuery({
    queryKey: [...BUCKETS_KEY, name],
    queryFn: ({ pageParam }) =>
      call(api.buckets.get({ query: { cursor: pageParam, limit: PAGE_SIZE, name } })),
    initialPageParam: FIRST,
    getNextPageParam: (page) => page.nextId,
    ...(name === '' && { initialData: { pages: [first], pageParams: [FIRST] } }),
  });
