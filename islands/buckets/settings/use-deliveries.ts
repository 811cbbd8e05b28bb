import { useInfiniteQuery } from '@tanstack/react-query';
import { SECOND } from '../../../server/contract/limits.ts';
import type { DeliveryWire, Page } from '../../../server/contract/wire.ts';
import { deliveriesKey, getDeliveries } from './settings-calls.ts';

const FIRST = '0';
/** While an attempt is near or under way, and while only a later one waits. */
const SOON = 2 * SECOND;
const LATER = 15 * SECOND;

/**
 * What became of the last deliveries, newest first; looked at again while any waits.
 * @param first the first page, as the page was made with it
 */
export const useDeliveries = (bucketId: string, first: Page<DeliveryWire>) =>
  useInfiniteQuery({
    queryKey: deliveriesKey(bucketId),
    queryFn: ({ pageParam }) => getDeliveries(bucketId, pageParam),
    initialPageParam: FIRST,
    initialData: { pages: [first], pageParams: [FIRST] },
    getNextPageParam: (page: Page<DeliveryWire>) => page.nextId,
    refetchInterval: ({ state }) => {
      const waiting = (state.data?.pages ?? [])
        .flatMap((page) => page.data)
        .flatMap(({ next, attempts }) => (next ? [attempts === 0 ? 0 : Date.parse(next)] : []));
      if (waiting.length === 0) return LATER;
      return Math.min(...waiting) - Date.now() < LATER ? SOON : LATER;
    },
  });
