import X from 'lucide-react/icons/x';
import { count } from '../../../server/contract/units.ts';
import { Button } from '../../ui/form/button.tsx';
import { JobFailures } from './job-failures.tsx';
import { actionOf, resultOf } from './job-texts.ts';
import type { FolderJob } from './use-folder-job.ts';

/** How far the job of a folder is, or what it has left. It takes no room of its own beside the way to a folder. */
export function JobLine({ job, error, stop, dismiss }: FolderJob) {
  const isRunning = job?.status === 'running';
  return (
    <div className="ml-auto flex min-w-0 items-center gap-2">
      {isRunning && (
        <span aria-hidden className="loading loading-spinner loading-xs shrink-0 text-quiet" />
      )}
      <p className="min-w-0 text-pretty wrap-anywhere">
        {/* Only this is announced, and not each number. */}
        <span role="status">{job && (isRunning ? actionOf(job) : resultOf(job))}</span>
        {isRunning && (
          <span className="numbers text-quiet">
            {' '}
            {error ? 'Its progress can’t be loaded.' : count(job.done, 'file')}
          </span>
        )}
      </p>
      {isRunning && (
        <Button className="btn-sm" pending={stop.isPending} onClick={() => stop.mutate()}>
          Stop
        </Button>
      )}
      {job && !isRunning && <JobFailures job={job} />}
      {job && (!isRunning || error) && (
        <Button className="btn-ghost btn-square btn-sm" aria-label="Dismiss" onClick={dismiss}>
          <X size={16} aria-hidden />
        </Button>
      )}
    </div>
  );
}
