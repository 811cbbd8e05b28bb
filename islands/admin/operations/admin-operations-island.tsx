import CircleCheck from 'lucide-react/icons/circle-check';
import TriangleAlert from 'lucide-react/icons/triangle-alert';
import type { AdminJobsWire, AdminOperationsWire } from '../../../server/contract/wire.ts';
import { PageHead } from '../../ui/page-head.tsx';
import { useJobs, useOperations } from '../admin-calls.ts';
import { HealthPanel } from './health-panel.tsx';
import { JobsPanel } from './jobs-panel.tsx';
import { PaymentWebhooksPanel } from './payment-webhooks.tsx';
import { StoragePanel } from './storage-panel.tsx';

type Props = { first: AdminOperationsWire; jobs: AdminJobsWire };

/** How the server is doing, and what the operator can do about it. */
export default function AdminOperationsIsland({ first, jobs: firstJobs }: Props) {
  const { data: operations = first } = useOperations(first);
  const { data: jobs } = useJobs(firstJobs);
  return (
    <>
      <PageHead title="Operations" text="Health, queue and storage of this server." />
      <Attention warnings={operations.warnings} />
      <div className="panels mt-8 border-t border-base-300 pt-8">
        <JobsPanel jobs={jobs} nextJob={operations.next_job} />
        <StoragePanel disk={jobs.disk} operations={operations} />
        <HealthPanel operations={operations} />
        <PaymentWebhooksPanel webhooks={jobs.webhooks} />
      </div>
    </>
  );
}

/** What needs the operator's attention, each with what to do. */
function Attention({ warnings }: Pick<AdminOperationsWire, 'warnings'>) {
  return (
    <section aria-labelledby="attention" aria-live="polite" className="mt-6">
      <h2 id="attention" className="text-base font-semibold">
        What to do
      </h2>
      {warnings.length === 0 ? (
        <p className="mt-2 flex items-center gap-2 text-quiet">
          <CircleCheck size={16} aria-hidden className="shrink-0 text-success" />
          Everything is working.
        </p>
      ) : (
        <ul className="rows card mt-3">
          {warnings.map(({ code, problem, action }) => (
            <li key={code} className="flex gap-2.5">
              <TriangleAlert size={16} aria-hidden className="mt-0.5 shrink-0 text-warning" />
              <div className="min-w-0">
                <p className="font-medium wrap-anywhere">{problem}</p>
                <p className="mt-0.5 text-pretty text-quiet">{action}</p>
              </div>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
