import type { S3ImportWire } from '../../../server/contract/wire.ts';
import { Button } from '../../ui/form/button.tsx';
import { problemOf, progressOf, titleOf } from './import-texts.ts';

/** How far an import is, or how it ended, and what it could not copy. */
export function S3ImportState({
  last,
  stop,
}: {
  last: S3ImportWire;
  stop: { isPending: boolean; mutate: (id: string) => void };
}) {
  const isRunning = last.status === 'running';
  const problem = problemOf(last);
  return (
    <section className="flex flex-col gap-2" aria-label="Last import">
      <div className="flex items-center gap-2">
        {isRunning && (
          <span aria-hidden className="loading loading-spinner loading-xs shrink-0 text-quiet" />
        )}
        {/* Only this is announced, and not each number. */}
        <p role="status" className="min-w-0 font-medium wrap-anywhere">
          {titleOf(last)}
        </p>
        {isRunning && (
          <Button
            className="btn-sm ml-auto"
            pending={stop.isPending}
            onClick={() => stop.mutate(last.id)}
          >
            Stop
          </Button>
        )}
      </div>
      <p className="numbers text-quiet">{progressOf(last)}</p>
      {problem && <p className="text-pretty text-warning">{problem}</p>}
      {last.failures.length > 0 && (
        <ul
          aria-label="Objects that were not copied"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and keys have to reach it
          tabIndex={0}
          className="max-h-40 divide-y divide-base-300 overflow-y-auto rounded border border-base-300"
        >
          {last.failures.map(({ key, error }) => (
            <li key={key} className="px-3 py-2">
              <p className="font-medium wrap-anywhere">{key}</p>
              <p className="text-pretty text-quiet">{error.message}</p>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
