import { formatBalance } from '../../server/contract/money.ts';
import type { PaymentWire } from '../../server/contract/wire.ts';
import type { PaymentStatus } from './calls.ts';

const NAMES: Record<PaymentStatus, { text: string; color: string }> = {
  pending: { text: 'Pending', color: '' },
  paid: { text: 'Paid', color: 'text-success' },
  failed: { text: 'Failed', color: 'text-error' },
  expired: { text: 'Expired', color: 'text-quiet' },
  refunded: { text: 'Refunded', color: 'text-warning' },
};

const NOTES = {
  refused: 'The provider could not begin it. Nothing was charged.',
  short: 'Less arrived than was asked for. It was not credited; ask for it back.',
  mismatch: 'What arrived is not what was asked for. It was not credited; ask for it back.',
  'account-gone': 'It was not credited.',
} as const;

/** What became of a payment, with what a person has to know about it. */
export function PaymentStatusCell({ payment }: { payment: PaymentWire }) {
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
  if (refunded > 0 && status === 'paid') return `${formatBalance(refunded)} was taken back.`;
  if (credited > amount) return `${formatBalance(credited)} arrived and was credited.`;
  return null;
}
