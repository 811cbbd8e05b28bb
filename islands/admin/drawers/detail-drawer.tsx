import type { ReactNode } from 'react';
import { ApiError } from '../../runtime/api-error.ts';
import { Drawer } from '../../ui/dialog/drawer.tsx';
import { ErrorState } from '../../ui/states.tsx';

/** A drawer for details that are loaded when it opens. */
export function DetailDrawer<Detail>({
  open,
  title,
  what,
  detail: { data, error, refetch },
  onClose,
  children,
}: {
  open: boolean;
  title: string;
  /** What the details are about, such as 'bucket'. */
  what: string;
  detail: { data: Detail | undefined; error: Error | null; refetch: () => unknown };
  onClose: () => void;
  children: (detail: Detail) => ReactNode;
}) {
  const isGone = error instanceof ApiError && error.status === 404;
  return (
    <Drawer open={open} title={title} onClose={onClose}>
      {isGone ? (
        <p role="alert" className="p-5 text-quiet">
          There is no such {what}. It may have been deleted.
        </p>
      ) : data ? (
        <div className="flex flex-col gap-6 p-5">{children(data)}</div>
      ) : error ? (
        <div className="p-5">
          <ErrorState tried={`The ${what} could not be loaded.`} onRetry={() => refetch()} />
        </div>
      ) : (
        <div role="status" aria-label={`Loading the ${what}`} className="flex flex-col gap-3 p-5">
          <div className="skeleton h-4 w-full" />
          <div className="skeleton h-4 w-2/3" />
          <div className="skeleton h-4 w-3/4" />
        </div>
      )}
    </Drawer>
  );
}

/** The status of a bucket or a user, in green if it is `good` and otherwise in red. */
export function StatusMark({ good, text }: { good: boolean; text: string }) {
  return (
    <span
      className={`inline-flex items-center gap-1.5 font-medium ${good ? 'text-success' : 'text-error'}`}
    >
      <span className="size-1.5 shrink-0 rounded-full bg-current" aria-hidden="true" />
      {text}
    </span>
  );
}
