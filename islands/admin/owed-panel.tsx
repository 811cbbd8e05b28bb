import { formatBalance } from '../../server/contract/money.ts';
import type { AdminOwedWire, Page } from '../../server/contract/wire.ts';
import { Time } from '../ui/date/time.tsx';
import { Panel } from '../ui/panel.tsx';
import { useOwedPayments } from './admin-calls.ts';

export const PROVIDERS = { card: 'Stripe', crypto: 'Cryptomus' };
const REASONS: Record<NonNullable<AdminOwedWire['note']>, string> = {
  refused: 'It was paid after the provider had refused it.',
  short: 'The amount received is too low.',
  mismatch: 'The amount received differs from the amount requested.',
  surplus: 'More arrived than one payment can add. The rest was credited.',
  'account-gone': 'The account was deleted before the payment arrived.',
};

/** Payments that must be refunded. The panel is hidden if there are none, which is the usual case. */
export function OwedPaymentsPanel({ first }: { first: Page<AdminOwedWire> }) {
  const { data, nextId } = useOwedPayments(first).data;
  if (data.length === 0) return null;
  return (
    <Panel
      title="Payments owed back"
      text="Received but not credited. Refund them at the payment provider; they disappear from this list once the refund is reported."
    >
      <ul className="flush rows">
        {data.map((payment) => (
          <OwedPayment key={payment.id} payment={payment} />
        ))}
      </ul>
      {nextId && <p className="mt-8 text-quiet">Only the newest are shown.</p>}
    </Panel>
  );
}

function OwedPayment({ payment }: { payment: AdminOwedWire }) {
  const { user, method, note, owed, reference, checkout, date } = payment;
  return (
    <li className="flex flex-wrap items-baseline gap-x-4 gap-y-1">
      <strong className="numbers w-24 font-semibold sm:text-right">{formatBalance(owed)}</strong>
      <div className="min-w-0 grow basis-60">
        <p>{note ? REASONS[note] : 'It could not be refunded.'}</p>
        <p className="text-xs wrap-anywhere text-quiet">
          {PROVIDERS[method]} <code className="font-mono">{reference ?? checkout}</code>
        </p>
      </div>
      {user.email ? (
        <a className="link" href={`/admin/users?user=${user.id}`}>
          {user.email}
        </a>
      ) : (
        <code className="font-mono text-xs text-quiet">{user.id}</code>
      )}
      <span className="text-xs text-quiet">
        <Time iso={date} withTime />
      </span>
    </li>
  );
}
