import { useInfiniteQuery } from '@tanstack/react-query';
import { PAGE_SIZE } from '../../../server/contract/limits.ts';
import type { BucketWire, Page } from '../../../server/contract/wire.ts';
import { call } from '../../runtime/api.ts';
import { type DayRange, readRange } from '../../ui/date/day-range.ts';
import { normalizeSearch, toSearchParam } from '../../ui/form/search-field.tsx';

/** What the page's URL asks the list for. */
export type ListView = { name: string; range: DayRange | null };

/** What the call takes: all of them, empty when unset. */
export type BucketFilters = { name: string; from: string; to: string };

/** Whatever can not be asked for counts as nothing. */
export const readListView = (search: URLSearchParams): ListView => ({
  name: normalizeSearch(search.get('name') ?? ''),
  range: readRange(search.get('from'), search.get('to')),
});

/** The page's parameters of a view; what is unset is not among them. */
export const paramsOf = ({ name, range }: ListView) => ({
  ...(name && { name }),
  ...(range && { from: range.from, to: range.to }),
});

export const filtersOf = ({ name, range }: ListView): BucketFilters => ({
  name: toSearchParam(name),
  from: range?.from ?? '',
  to: range?.to ?? '',
});

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
