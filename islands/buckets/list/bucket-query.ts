import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { PAGE_SIZE } from '../../../server/contract/limits.ts';
import type { BucketWire, Page } from '../../../server/contract/wire.ts';
import { call } from '../../runtime/api.ts';
import { type DayRange, readZonedRange } from '../../ui/date/day-range.ts';
import { normalizeSearch, toSearchParam } from '../../ui/form/search-field.tsx';

/** The filters in the page's URL. */
export type ListView = { name: string; range: DayRange | null };

/** The filters as the call expects them: empty if unset. */
export type BucketFilters = { name: string; from: string; to: string; tz?: string };

/** Reads the filters from a URL. Invalid ones are ignored. */
export const readListView = (search: URLSearchParams): ListView => ({
  name: normalizeSearch(search.get('name') ?? ''),
  range: readZonedRange(search),
});

/** Returns the URL parameters of a view, without those that are unset. */
export const listParams = ({ name, range }: ListView) => ({
  ...(name && { name }),
  ...range,
});

export const toBucketFilters = ({ name, range }: ListView): BucketFilters => ({
  name: toSearchParam(name),
  from: range?.from ?? '',
  to: range?.to ?? '',
  ...(range?.tz && { tz: range.tz }),
});

export const BUCKETS_KEY = ['buckets'];
const FIRST = '0';

/**
 * Loads the user's buckets that match the filters page by page, newest first.
 * @param options.first the first page of buckets, if the document was rendered with it
 * @param options.enabled false while the buckets are not shown
 * @param options.keepsRows whether the buckets of the filters before stay until those of the new ones are there
 */
export const useBuckets = (
  filters: BucketFilters,
  {
    first,
    enabled = true,
    keepsRows = false,
  }: { first?: Page<BucketWire>; enabled?: boolean; keepsRows?: boolean } = {},
) =>
  useInfiniteQuery({
    queryKey: [...BUCKETS_KEY, filters],
    queryFn: ({ pageParam }): Promise<Page<BucketWire>> =>
      call('GET /buckets', { query: { cursor: pageParam, limit: PAGE_SIZE, ...filters } }),
    initialPageParam: FIRST,
    getNextPageParam: (page) => page.nextId,
    enabled,
    ...(keepsRows && { placeholderData: keepPreviousData }),
    ...(first && { initialData: { pages: [first], pageParams: [FIRST] } }),
  });
