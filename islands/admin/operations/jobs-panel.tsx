import type { AdminJobsWire, AdminJobWire } from '../../../server/contract/wire.ts';
import { Time } from '../../ui/date/time.tsx';
import { Button } from '../../ui/form/button.tsx';
import { Panel } from '../../ui/panel.tsx';
import { useRetry } from '../admin-calls.ts';
import { FailingDeletions } from './failing-deletions.tsx';

const KINDS: Record<string, string> = {
  image: 'Image',
  video: 'Video',
  audio: 'Length of audio',
  picture: 'Size of an image',
  'background-video': 'Long video',
  mail: 'Mail',
  'delete-bucket': 'Deletion of a bucket',
  'delete-account': 'Deletion of an account',
};

/** The open and failed jobs, and since when the next one waits. The jobs are reloaded every few seconds. */
export function JobsPanel({
  jobs: data,
  nextJob,
}: {
  jobs: AdminJobsWire;
  nextJob: string | null;
}) {
  const { queued, running, failed, jobs, deletions } = data;
  return (
    <Panel title="Jobs" text="Encoding, emails and deletions. Failed jobs stay here for a week.">
      <dl className="grid grid-cols-3 gap-3 sm:grid-cols-4">
        <Count label="Queued" value={queued} />
        <Count label="Running" value={running} />
        <Count label="Failed" value={failed} bad={failed > 0} />
        <div className="max-sm:col-span-3">
          <dt className="text-quiet">Next job waiting since</dt>
          <dd className="numbers mt-1">{nextJob ? <Time iso={nextJob} withTime /> : '–'}</dd>
        </div>
      </dl>
      {jobs.length > 0 && (
        <ul className="flush rows">
          {jobs.map((job) => (
            <Job key={job.id} job={job} />
          ))}
        </ul>
      )}
      {deletions.failing > 0 && <FailingDeletions {...deletions} />}
    </Panel>
  );
}

function Count({ label, value, bad = false }: { label: string; value: number; bad?: boolean }) {
  return (
    <div>
      <dt className="text-quiet">{label}</dt>
      <dd className={`numbers mt-1 text-base font-semibold ${bad ? 'text-error' : ''}`}>{value}</dd>
    </div>
  );
}

function Job({ job }: { job: AdminJobWire }) {
  const retry = useRetry();
  const name = KINDS[job.kind] ?? job.kind;
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1">
      <div className="min-w-0 grow basis-60">
        <p className="font-medium">{name}</p>
        <p className="text-xs wrap-anywhere text-quiet">
          {job.error && job.state === 'failed' ? (
            <span className="text-error">{job.error}</span>
          ) : (
            <code className="font-mono">{job.subject}</code>
          )}
        </p>
      </div>
      {job.state === 'running' && (
        <span className="flex items-center gap-2">
          <progress
            aria-label={`${name}, progress`}
            className="progress progress-primary w-32"
            value={job.progress}
            max={100}
          />
          <span className="numbers w-10 text-right">{job.progress}%</span>
        </span>
      )}
      <span className="text-xs text-quiet">
        <Time iso={job.date} withTime />
      </span>
      {job.retryable && (
        <Button
          className="btn-sm"
          aria-label={`Retry: ${name}`}
          pending={retry.isPending}
          onClick={() => retry.mutate(job.id)}
        >
          Retry
        </Button>
      )}
    </li>
  );
}
