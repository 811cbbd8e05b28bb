import { formatBytes } from '../../server/contract/units.ts';
import type { AdminJobsWire, AdminJobWire } from '../../server/contract/wire.ts';
import { Time } from '../ui/date/time.tsx';
import { Button } from '../ui/form/button.tsx';
import { Panel } from '../ui/panel.tsx';
import { useJobs, useRetry } from './admin-calls.ts';
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

/** The open and failed jobs, the free disk space and what is wrong, reloaded every few seconds. */
export function JobsPanel({ first }: { first: AdminJobsWire }) {
  const { data } = useJobs(first);
  const { queued, running, failed, jobs, clock, mail, disk, deletions } = data;
  const used = disk.total > 0 ? 1 - disk.free / disk.total : 0;
  const isFull = disk.free < disk.reserve;
  return (
    <Panel title="Jobs" text="Encoding, emails and deletions. Failed jobs stay here for a week.">
      {clock && <p className="mb-5 text-error">{clock}</p>}
      {mail && (
        <p className="mb-5 wrap-anywhere text-error">
          Emails are not being sent. Run wharf doctor on the server. The last error: {mail}
        </p>
      )}
      <dl className="grid grid-cols-3 gap-3 lg:grid-cols-[repeat(3,minmax(0,1fr))_minmax(0,2fr)]">
        <Count label="Queued" value={queued} />
        <Count label="Running" value={running} />
        <Count label="Failed" value={failed} bad={failed > 0} />
        <div className="max-lg:col-span-3">
          <dt className="text-quiet">Disk space left</dt>
          <dd className="numbers mt-1">
            <strong className="text-base font-semibold">{formatBytes(disk.free)}</strong>{' '}
            <span className="text-quiet">
              of {formatBytes(disk.total)}, {Math.round(used * 100)} % used
            </span>
            <progress
              aria-label="Disk space used"
              className={`progress mt-2 block ${used > 0.9 || isFull ? 'progress-error' : 'progress-primary'}`}
              value={used}
              max={1}
            />
            {isFull && (
              <p className="mt-2 text-error">
                Uploads and processing are stopped while less than {formatBytes(disk.reserve)} is
                free.
              </p>
            )}
          </dd>
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
          <span className="numbers w-10 text-right">{job.progress} %</span>
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
