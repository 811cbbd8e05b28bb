import { useInfiniteQuery } from '@tanstack/react-query';
import { PAGE_SIZE } from '../../../server/contract/limits.ts';
import type { BucketWire, Page } from '../../../server/contract/wire.ts';
import { call } from '../../runtime/api.ts';
import type { BucketFilters } from './list-view.ts';

export const BUCKETS_KEY = ['buckets'];
const FIRST = '0';

/**
 * The viewer's buckets that the filters let through, newest first, page by page.
 * @param options.first the first page, where the page was rendered with it
 * @param options.enabled false while nobody looks at them
 */
export const useBuckets = (
  filters: BucketFilters,
  { first, enabled = true }: { first?: Page<BucketWire>; enabled?: boolean } = {},
) =>
  useInfiniteQuery({
    queryKey: [...BUCKETS_KEY, filters],
    queryFn: ({ pageParam }): Promise<Page<BucketWire>> =>
      call('GET /buckets', { query: { cursor: pageParam, limit: PAGE_SIZE, ...filters } }),
    initialPageParam: FIRST,
    getNextPageParam: (page) => page.nextId,
    enabled,
    ...(first && { initialData: { pages: [first], pageParams: [FIRST] } }),
  });
