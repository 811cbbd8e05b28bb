import type { AdminJobsWire } from '../../../server/contract/wire.ts';
import { Time } from '../../ui/date/time.tsx';
import { Panel } from '../../ui/panel.tsx';
import { PROVIDERS } from '../owed-panel.tsx';

/** When each payment provider last sent a webhook. The panel is hidden without providers. */
export function PaymentWebhooksPanel({ webhooks }: Pick<AdminJobsWire, 'webhooks'>) {
  if (webhooks.length === 0) return null;
  return (
    <Panel
      title="Payment webhooks"
      text="Payment providers report payments, refunds and disputes to this server."
    >
      <ul className="flush rows">
        {webhooks.map(({ method, last, unannounced }) => (
          <li key={method} className="flex flex-wrap items-baseline gap-x-4 gap-y-1">
            <strong className="w-24 font-semibold">{PROVIDERS[method]}</strong>
            <span className="text-quiet">
              {last ? (
                <>
                  Last webhook <Time iso={last} withTime />
                </>
              ) : (
                'No webhook yet'
              )}
            </span>
            {unannounced && (
              <p className="w-full text-error">
                No webhook announced the payment of <Time iso={unannounced} withTime />. Check the
                webhook’s address and signing secret, or run wharf doctor on the server.
              </p>
            )}
          </li>
        ))}
      </ul>
    </Panel>
  );
}
