import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { HOUR, SECOND } from '../../server/contract/limits.ts';
import { MESSAGES } from '../../server/contract/messages.ts';
import type { Page, PaymentWire } from '../../server/contract/wire.ts';
import { Button } from '../ui/form/button.tsx';
import { Panel } from '../ui/panel.tsx';
import { ErrorState, Spinner } from '../ui/states.tsx';
import { LoadMore } from '../ui/table/load-more.tsx';
import { CREDIT_KEY } from './balance-panel.tsx';
import { getPayments } from './calls.ts';
import { PaymentTable } from './payment-table.tsx';

const FIRST_PAGE = '0';
const SOON = 5 * SECOND;

/** All payments, in a box that scrolls. */
export function PaymentHistory({ first }: { first: Page<PaymentWire> | null }) {
  const client = useQueryClient();
  const payments = usePayments(first);
  const rows = payments.data?.pages.flatMap((page) => page.data) ?? [];
  // What becomes of a payment changes the balance.
  const credited = rows.reduce((sum, one) => sum + one.credited - one.refunded, 0);
  useEffect(() => {
    if (credited !== 0) void client.invalidateQueries({ queryKey: CREDIT_KEY });
  }, [client, credited]);

  return (
    <Panel title="Payment history" text="Your top-ups and their status.">
      <section
        aria-label="Payments"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
        tabIndex={0}
        className="h-[400px] overflow-y-auto rounded-md border border-base-300"
      >
        {payments.isLoadingError ? (
          <ErrorState
            tried="The payments could not be loaded."
            onRetry={() => void payments.refetch()}
          />
        ) : payments.isPending ? (
          <div className="grid h-full place-items-center">
            <Spinner />
          </div>
        ) : rows.length === 0 ? (
          <p className="grid h-full place-items-center px-4 text-center text-quiet">
            No payments yet. They appear here as soon as you start one.
          </p>
        ) : (
          <>
            {payments.isRefetchError && <Stale onRetry={() => void payments.refetch()} />}
            <PaymentTable rows={rows} />
            {payments.hasNextPage && (
              <LoadMore
                loading={payments.isFetchingNextPage}
                failed={payments.isFetchNextPageError}
                onNear={payments.fetchNextPage}
              />
            )}
          </>
        )}
      </section>
    </Panel>
  );
}

/** What was there before stays, as it may not be so any more. */
function Stale({ onRetry }: { onRetry: () => void }) {
  return (
    <p role="alert" className="flex items-center justify-between gap-4 px-4 py-1 text-error">
      {MESSAGES.unexpected}
      <Button className="btn-sm btn-ghost" onClick={onRetry}>
        Try again
      </Button>
    </p>
  );
}

/** The viewer's payments, newest first; looked at again while a new one is pending. */
const usePayments = (first: Page<PaymentWire> | null) =>
  useInfiniteQuery({
    queryKey: ['payments'],
    queryFn: ({ pageParam }): Promise<Page<PaymentWire>> => getPayments(pageParam),
    initialPageParam: FIRST_PAGE,
    getNextPageParam: (page) => page.nextId,
    ...(first && { initialData: { pages: [first], pageParams: [FIRST_PAGE] } }),
    refetchInterval: ({ state }) => {
      const rows = state.data?.pages.flatMap((page) => page.data) ?? [];
      const isNew = ({ status, date }: PaymentWire) =>
        status === 'pending' && Date.now() - Date.parse(date) < HOUR;
      return state.status === 'success' && rows.some(isNew) && SOON;
    },
  });
