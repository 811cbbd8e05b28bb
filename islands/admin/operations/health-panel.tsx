import type { AdminOperationsWire } from '../../../server/contract/wire.ts';
import { Panel } from '../../ui/panel.tsx';
import { StatusMark } from '../../ui/status-mark.tsx';

const CHECKS: Record<keyof AdminOperationsWire['checks'], string> = {
  database: 'Database',
  storage: 'Storage',
  ffmpeg: 'ffmpeg',
  mail: 'Email',
  usage: 'Usage',
};

/** What the server checks of itself, and what it runs. */
export function HealthPanel({ operations }: { operations: AdminOperationsWire }) {
  const { checks, confinement, versions } = operations;
  const all = Object.entries(CHECKS) as [keyof typeof CHECKS, string][];
  return (
    <Panel title="Health" text="The same checks as GET /health, for load balancers and monitoring.">
      <dl className="grid grid-cols-2 gap-x-6 gap-y-4 sm:grid-cols-3">
        {all.map(([check, name]) => (
          <div key={check}>
            <dt className="text-quiet">{name}</dt>
            <dd className="mt-1">
              <StatusMark
                good={checks[check] === 'ok'}
                text={checks[check] === 'ok' ? 'Works' : 'Failing'}
              />
            </dd>
          </div>
        ))}
        <div>
          <dt className="text-quiet">Decoder sandbox</dt>
          <dd className="mt-1">{confinementText(confinement)}</dd>
        </div>
        <div>
          <dt className="text-quiet">Wharf</dt>
          <dd className="numbers mt-1">{versions.wharf}</dd>
        </div>
        <div>
          <dt className="text-quiet">Bun</dt>
          <dd className="numbers mt-1">{versions.bun}</dd>
        </div>
      </dl>
    </Panel>
  );
}

function confinementText(confinement: AdminOperationsWire['confinement']) {
  if (!confinement) return <span className="text-quiet">Being checked</span>;
  const holds = Object.values(confinement).flatMap(Object.values);
  const missing = holds.filter((one) => !one).length;
  return (
    <StatusMark good={missing === 0} text={missing === 0 ? 'Complete' : `${missing} missing`} />
  );
}
