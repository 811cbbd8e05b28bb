import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { HOUR, PAGE_SIZE, SECOND } from '../../server/contract/limits.ts';
import { MESSAGES } from '../../server/contract/messages.ts';
import { formatAmount } from '../../server/contract/money.ts';
import type { Page, PaymentWire } from '../../server/contract/wire.ts';
import { call } from '../runtime/api.ts';
import { Time } from '../ui/date/time.tsx';
import { Button } from '../ui/form/button.tsx';
import { Panel } from '../ui/panel.tsx';
import { ErrorState, LoadMore, Spinner } from '../ui/states.tsx';
import { AMOUNT_KEYS } from './balance-panel.tsx';

const FIRST_PAGE = '0';
const PENDING_INTERVAL_MS = 5 * SECOND;

const head =
  'sticky top-0 z-10 h-10 border-b border-base-300 bg-base-200 px-3 text-xs first:pl-5 last:pr-5 xl:px-4 font-medium text-quiet';
/** Below 640 px a row is a card, and each cell a line with the name of its column. */
const cell =
  'px-3 py-2 max-sm:px-5 sm:first:pl-5 sm:last:pr-5 xl:px-4 max-sm:flex max-sm:justify-between max-sm:gap-4 max-sm:py-1 max-sm:before:shrink-0 max-sm:before:text-quiet max-sm:before:content-[attr(data-label)]';
const METHODS = { card: 'Card', crypto: 'Crypto' };

const NAMES: Record<PaymentWire['status'], { text: string; color: string }> = {
  pending: { text: 'Pending', color: '' },
  paid: { text: 'Paid', color: 'text-success' },
  failed: { text: 'Failed', color: 'text-error' },
  expired: { text: 'Expired', color: 'text-quiet' },
  refunded: { text: 'Refunded', color: 'text-warning' },
};

const NOTES = {
  refused: 'The provider couldn’t start this payment. Nothing was charged.',
  short: 'The amount received is too low, so it wasn’t credited. Ask your admin for a refund.',
  mismatch:
    'The amount received differs from the amount requested, so it wasn’t credited. Ask your admin for a refund.',
  surplus: 'More arrived than one payment can add. Ask your admin to refund the rest.',
  'account-gone': 'This payment wasn’t credited.',
} as const;

/** The payments of the user, in a box that scrolls. */
export function PaymentHistory({ first }: { first: Page<PaymentWire> | null }) {
  const client = useQueryClient();
  const payments = usePayments(first);
  const rows = payments.data?.pages.flatMap((page) => page.data) ?? [];
  // A payment that is credited or refunded changes the balance and the statement of its month.
  const credited = rows.reduce((sum, one) => sum + one.credited - one.refunded, 0);
  useEffect(() => {
    if (credited === 0) return;
    for (const queryKey of AMOUNT_KEYS) void client.invalidateQueries({ queryKey });
  }, [client, credited]);

  return (
    <Panel title="Payment history" text="Your top-ups and their status.">
      <section
        aria-label="Payments"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
        tabIndex={0}
        className="flush h-[400px] overflow-y-auto"
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

/** Shown above payments that could not be reloaded and may be outdated. */
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

/** Loads the user's payments, newest first, and reloads them while a new one is pending. */
export const usePayments = (first: Page<PaymentWire> | null) =>
  useInfiniteQuery({
    queryKey: ['payments'],
    queryFn: ({ pageParam }): Promise<Page<PaymentWire>> =>
      call('GET /payments/user', { query: { cursor: pageParam, limit: PAGE_SIZE } }),
    initialPageParam: FIRST_PAGE,
    getNextPageParam: (page) => page.nextId,
    ...(first && { initialData: { pages: [first], pageParams: [FIRST_PAGE] } }),
    refetchInterval: ({ state }) => {
      const rows = state.data?.pages.flatMap((page) => page.data) ?? [];
      const isNew = ({ status, date }: PaymentWire) =>
        status === 'pending' && Date.now() - Date.parse(date) < HOUR;
      return state.status === 'success' && rows.some(isNew) && PENDING_INTERVAL_MS;
    },
  });

/** The payments as a table, or as cards on narrow screens. */
function PaymentTable({ rows }: { rows: PaymentWire[] }) {
  return (
    <table className="w-full border-separate border-spacing-0 text-left max-sm:block">
      <thead className="max-sm:hidden">
        <tr>
          <th className={head}>ID</th>
          <th className={`${head} w-2/5`}>Status</th>
          <th className={head}>Method</th>
          <th className={`${head} text-right`}>Amount</th>
          <th className={`${head} text-right`}>Created at</th>
        </tr>
      </thead>
      <tbody className="max-sm:block">
        {rows.map((payment) => (
          <Row key={payment.id} payment={payment} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ payment }: { payment: PaymentWire }) {
  const { id, method, amount, date } = payment;
  return (
    <tr className="max-sm:block max-sm:border-t max-sm:border-base-300 max-sm:py-2 max-sm:first:border-t-0 sm:h-10 sm:not-first:*:border-t sm:*:border-base-300">
      <td className={cell} data-label="ID">
        <span className="font-mono text-xs whitespace-nowrap">{id}</span>
      </td>
      <td className={cell} data-label="Status">
        <PaymentStatusCell payment={payment} />
      </td>
      <td className={cell} data-label="Method">
        {METHODS[method]}
      </td>
      <td className={`${cell} numbers sm:text-right`} data-label="Amount">
        {formatAmount(amount)}
      </td>
      <td className={`${cell} sm:text-right`} data-label="Created at">
        <Time iso={date} withTime />
      </td>
    </tr>
  );
}

/** The status of a payment, with an explanation if it needs one. */
function PaymentStatusCell({ payment }: { payment: PaymentWire }) {
  const { text, color } = NAMES[payment.status];
  const more = explained(payment);
  return (
    <span className="min-w-0 max-sm:text-right">
      <span className={color}>{text}</span>
      {more && <span className="block text-xs text-pretty text-quiet">{more}</span>}
      {payment.checkout_url && (
        <a href={payment.checkout_url} className="link ml-2">
          Continue
          <span className="sr-only"> the payment of {formatAmount(payment.amount)}</span>
        </a>
      )}
    </span>
  );
}

function explained({ status, note, amount, credited, refunded }: PaymentWire): string | null {
  if (note && status !== 'refunded') return NOTES[note];
  if (refunded > 0 && status === 'paid') return `${formatAmount(refunded)} was refunded.`;
  if (credited > amount) return `${formatAmount(credited)} was credited.`;
  return null;
}
