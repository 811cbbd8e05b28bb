import { type ReactNode, useState } from 'react';
import { formatAmount, LEDGER_KIND_NAMES } from '../../../server/contract/money.ts';
import type { AdminLedgerWire, AdminPaymentWire } from '../../../server/contract/wire.ts';
import { Time } from '../../ui/date/time.tsx';
import { Code } from '../../ui/dialog/drawer.tsx';
import { Button } from '../../ui/form/button.tsx';
import { Spinner } from '../../ui/states.tsx';
import { useUserLedger, useUserPayments } from '../admin-calls.ts';
import { PROVIDERS } from '../owed-panel.tsx';
import { RefundDialog } from './refund-dialog.tsx';

const STATUSES: Record<AdminPaymentWire['status'], { text: string; color: string }> = {
  pending: { text: 'Pending', color: 'text-quiet' },
  paid: { text: 'Paid', color: 'text-success' },
  failed: { text: 'Failed', color: 'text-error' },
  expired: { text: 'Expired', color: 'text-quiet' },
  refunded: { text: 'Refunded', color: 'text-warning' },
};

/** A user's payments, which can be refunded, and the entries of their ledger. */
export function AccountMoney({ userId }: { userId: string }) {
  const [refund, setRefund] = useState<AdminPaymentWire | null>(null);
  const payments = useUserPayments(userId);
  const ledger = useUserLedger(userId);
  return (
    <>
      <MoneyList title="Payments" empty="No payments yet." list={payments}>
        {(payment) => (
          <Payment key={payment.id} payment={payment} onRefund={() => setRefund(payment)} />
        )}
      </MoneyList>
      <MoneyList title="Ledger" empty="No entries yet." list={ledger}>
        {(entry) => <Entry key={entry.number} entry={entry} />}
      </MoneyList>
      <RefundDialog payment={refund} onClose={() => setRefund(null)} />
    </>
  );
}

type List<Row> = {
  data: { pages: { data: Row[] }[] } | undefined;
  isPending: boolean;
  isError: boolean;
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  refetch: () => unknown;
  fetchNextPage: () => unknown;
};

function MoneyList<Row>({
  title,
  empty,
  list,
  children,
}: {
  title: string;
  empty: string;
  list: List<Row>;
  children: (row: Row) => ReactNode;
}) {
  const rows = list.data?.pages.flatMap((page) => page.data) ?? [];
  return (
    <section aria-label={title} className="flex flex-col gap-2 border-t border-base-300 pt-5">
      <h3 className="font-medium">{title}</h3>
      {list.isPending ? (
        <Spinner label={`Loading the ${title.toLowerCase()}`} />
      ) : rows.length > 0 ? (
        <ul className="divide-y divide-base-300">{rows.map(children)}</ul>
      ) : (
        !list.isError && <p className="text-quiet">{empty}</p>
      )}
      {list.isError && (
        <p role="alert" className="flex items-center justify-between gap-4 text-error">
          The {title.toLowerCase()} could not be loaded.
          <Button className="btn-sm btn-ghost" onClick={() => void list.refetch()}>
            Try again
          </Button>
        </p>
      )}
      {list.hasNextPage && !list.isError && (
        <Button
          className="btn-sm self-start"
          pending={list.isFetchingNextPage}
          onClick={() => void list.fetchNextPage()}
        >
          Load more
        </Button>
      )}
    </section>
  );
}

function Payment({ payment, onRefund }: { payment: AdminPaymentWire; onRefund: () => void }) {
  const { status, method, amount, credited, refunded, reference, checkout, date } = payment;
  const { text, color } = STATUSES[status];
  const providerId = reference ?? checkout;
  return (
    <li className="flex flex-col gap-1 py-2.5">
      <div className="flex items-baseline gap-2">
        <span className="numbers font-medium">{formatAmount(amount)}</span>
        <span className={color}>{text}</span>
        {refunded > 0 && refunded < credited && (
          <span className="numbers text-quiet">{formatAmount(refunded)} refunded</span>
        )}
        <span className="ml-auto text-xs text-quiet">
          <Time iso={date} withTime />
        </span>
      </div>
      <div className="flex items-center gap-2">
        <div className="min-w-0 grow text-xs text-quiet">
          {providerId ? (
            <Code text={providerId} label={`Copy the ID at ${PROVIDERS[method]}`} />
          ) : (
            PROVIDERS[method]
          )}
        </div>
        {credited > refunded && (
          <Button className="btn-sm" onClick={onRefund}>
            Refund
          </Button>
        )}
      </div>
    </li>
  );
}

function Entry({ entry }: { entry: AdminLedgerWire }) {
  const { kind, amount, balance, date } = entry;
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto_6rem] items-baseline gap-x-3 py-2">
      <span className="min-w-0">
        {LEDGER_KIND_NAMES[kind]}
        <span className="block text-xs text-quiet">
          <Time iso={date} withTime />
        </span>
      </span>
      <span className="numbers">{formatAmount(amount)}</span>
      <span className="numbers text-right text-quiet" title="Balance after this entry">
        {formatAmount(balance)}
      </span>
    </li>
  );
}
