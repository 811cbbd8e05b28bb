import type {
  CostsWire,
  Page,
  PaymentWire,
  StatementSummaryWire,
} from '../../server/contract/wire.ts';
import { PageHead } from '../ui/page-head.tsx';
import { AddFounds, BalancePanel, type Methods } from './balance-panel.tsx';
import { CostsPanel } from './costs-panel.tsx';
import { PaymentHistory } from './payment-history.tsx';
import { PaymentNotice } from './payment-notice.tsx';
import { StatementsPanel } from './statements-panel.tsx';

type Props = {
  /** The id of the payment that the payer returns from, if any. */
  paymentId: string | null;
  methods: Methods;
  /** Null if the server could not load it while it rendered the page, as with the others below. */
  credit: number | null;
  payments: Page<PaymentWire> | null;
  costs: CostsWire | null;
  statements: StatementSummaryWire[] | null;
};

/** The balance, top-ups, costs, payments and statements of an account. */
export default function BillingIsland({
  paymentId,
  methods,
  credit,
  payments,
  costs,
  statements,
}: Props) {
  return (
    <>
      <PageHead title="Billing" text="Your balance, usage and payments." />
      {paymentId && <PaymentNotice paymentId={paymentId} first={payments} />}
      <div className="mt-6 grid gap-x-6 gap-y-8 lg:grid-cols-2">
        <BalancePanel first={credit} costs={costs} methods={methods} />
        <AddFounds methods={methods} />
      </div>
      <div className="panels mt-8 border-t border-base-300 pt-8">
        <CostsPanel first={costs} />
        <PaymentHistory first={payments} />
        <StatementsPanel first={statements} />
      </div>
    </>
  );
}
