import type { AdminJobsWire } from '../../../server/contract/wire.ts';
import { Time } from '../../ui/date/time.tsx';

/** The deletions of stored files that fail and are tried again. */
export function FailingDeletions({ failing, examples }: AdminJobsWire['deletions']) {
  const what = failing === 1 ? '1 deletion' : `${failing} deletions`;
  return (
    <section className="mt-5 border-t border-base-300 pt-3">
      <h3 className="font-medium">Files that can’t be deleted</h3>
      <p className="text-xs text-quiet">
        {what} of stored files failed. Each is retried at least once an hour.
      </p>
      <ul className="mt-2 divide-y divide-base-300">
        {examples.map(({ prefix, error, retry }) => (
          <li key={prefix} className="flex flex-wrap items-center gap-x-4 gap-y-1 py-2 text-xs">
            <p className="min-w-0 grow basis-60 wrap-anywhere">
              <span className="text-error">{error}</span>{' '}
              <code className="font-mono text-quiet">{prefix}</code>
            </p>
            <span className="text-quiet">
              Next attempt <Time iso={retry} withTime />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
