import { useInfiniteQuery } from '@tanstack/react-query';
import { HOUR, SECOND } from '../../server/contract/limits.ts';
import type { Page, PaymentWire } from '../../server/contract/wire.ts';
import { getPayments } from './calls.ts';

const FIRST = '0';
const SOON = 5 * SECOND;

/** The viewer's payments, newest first; looked at again while a new one is pending. */
export const usePayments = (first: Page<PaymentWire> | null) =>
  useInfiniteQuery({
    queryKey: ['payments'],
    queryFn: ({ pageParam }): Promise<Page<PaymentWire>> => getPayments(pageParam),
    initialPageParam: FIRST,
    getNextPageParam: (page) => page.nextId,
    ...(first && { initialData: { pages: [first], pageParams: [FIRST] } }),
    refetchInterval: ({ state }) => {
      const rows = state.data?.pages.flatMap((page) => page.data) ?? [];
      const isNew = ({ status, date }: PaymentWire) =>
        status === 'pending' && Date.now() - Date.parse(date) < HOUR;
      return state.status === 'success' && rows.some(isNew) && SOON;
    },
  });
