import { type ReactNode, useEffect, useRef } from 'react';
import { MESSAGES } from '../../server/contract/messages.ts';
import { Button } from './form/button.tsx';

/** Shown in place of an empty list: what will be in it, and how to add something. */
export function EmptyState({
  title,
  text,
  children,
}: {
  title: string;
  text: string;
  children?: ReactNode;
}) {
  return (
    <div className="card flex flex-col items-center gap-1 border-dashed border-edge px-6 py-16 text-center">
      <p className="font-medium">{title}</p>
      <p className="text-pretty text-quiet">{text}</p>
      {children && <div className="mt-4 flex flex-wrap justify-center gap-2">{children}</div>}
    </div>
  );
}

/** Shown in place of something that could not be loaded, which `tried` names. */
export function ErrorState({
  tried,
  isPending = false,
  onRetry,
}: {
  tried: string;
  /** Whether it is being tried again, unless something else is shown meanwhile. */
  isPending?: boolean;
  onRetry: () => void;
}) {
  return (
    <div role="alert" className="card flex flex-col items-center gap-1 px-6 py-16 text-center">
      <p className="font-medium">{MESSAGES.unexpected}</p>
      <p className="text-quiet">{tried}</p>
      <Button className="mt-4" pending={isPending} onClick={onRetry}>
        Try again
      </Button>
    </div>
  );
}

/** A spinner with a label for screen readers. */
export function Spinner({ label = 'Loading' }: { label?: string }) {
  return <span role="status" aria-label={label} className="loading loading-spinner loading-sm" />;
}

/** Loads the next page of a list when its end is about to become visible. */
export function LoadMore({
  loading,
  failed,
  onNear,
}: {
  loading: boolean;
  /** After a failure it waits for 'Try again', as it would otherwise retry endlessly. */
  failed: boolean;
  onNear: () => void;
}) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (loading || failed || !element.current) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some((entry) => entry.isIntersecting)) onNear();
      },
      // `scrollMargin` is for lists that scroll in a box. Older browsers ignore it.
      { rootMargin: '400px', scrollMargin: '1000px' },
    );
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [loading, failed, onNear]);
  return (
    <div ref={element} className="flex h-14 items-center justify-center">
      {loading && <Spinner label="Loading more" />}
      {failed && !loading && <Button onClick={onNear}>Try again</Button>}
    </div>
  );
}
