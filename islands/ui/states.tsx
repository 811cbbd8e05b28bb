import type { ReactNode } from 'react';
import { MESSAGES } from '../../server/contract/messages.ts';
import { Button } from './form/button.tsx';

/** Nothing is here yet: what will be, and what to do about it. */
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

/** Something could not be loaded. `tried` says what. */
export function ErrorState({ tried, onRetry }: { tried: string; onRetry: () => void }) {
  return (
    <div role="alert" className="card flex flex-col items-center gap-1 px-6 py-16 text-center">
      <p className="font-medium">{MESSAGES.unexpected}</p>
      <p className="text-quiet">{tried}</p>
      <Button className="mt-4" onClick={onRetry}>
        Try again
      </Button>
    </div>
  );
}

/** SPEC's spinner. `label` is for those who do not see it turn. */
export function Spinner({ label = 'Loading' }: { label?: string }) {
  return <span role="status" aria-label={label} className="loading loading-spinner loading-sm" />;
}
