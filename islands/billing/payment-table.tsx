import { formatBalance } from '../../server/contract/money.ts';
import type { PaymentWire } from '../../server/contract/wire.ts';
import { Time } from '../ui/date/time.tsx';
import type { PaymentStatus } from './calls.ts';

const head =
  'sticky top-0 z-10 h-10 border-b border-base-300 bg-base-200 px-4 text-xs font-medium text-quiet';
/** Below 640 px a row is a card, and a cell a line of it with its column's name. */
const cell =
  'px-4 py-2 max-sm:flex max-sm:justify-between max-sm:gap-4 max-sm:py-1 max-sm:before:shrink-0 max-sm:before:text-quiet max-sm:before:content-[attr(data-label)]';
const METHODS = { card: 'Card', crypto: 'Crypto' };

const NAMES: Record<PaymentStatus, { text: string; color: string }> = {
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
  'account-gone': 'This payment wasn’t credited.',
} as const;

/** A table, and cards on narrow screens. */
export function PaymentTable({ rows }: { rows: PaymentWire[] }) {
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
        {formatBalance(amount)}
      </td>
      <td className={`${cell} sm:text-right`} data-label="Created at">
        <Time iso={date} withTime />
      </td>
    </tr>
  );
}

/** What became of a payment, with what a person has to know about it. */
function PaymentStatusCell({ payment }: { payment: PaymentWire }) {
  const { text, color } = NAMES[payment.status];
  const more = explained(payment);
  return (
    <span className="min-w-0 max-sm:text-right">
      <span className={color}>{text}</span>
      {more && <span className="block text-xs text-quiet">{more}</span>}
    </span>
  );
}

function explained({ status, note, amount, credited, refunded }: PaymentWire): string | null {
  if (note && status !== 'refunded') return NOTES[note];
  if (refunded > 0 && status === 'paid') return `${formatBalance(refunded)} was refunded.`;
  if (credited > amount) return `${formatBalance(credited)} was credited.`;
  return null;
}
