import type { ReactNode } from 'react';
import { CopyButton } from './copy-button.tsx';

/** What is known of something, one line each. */
export function Facts({ children }: { children: ReactNode }) {
  return (
    <dl className="grid grid-cols-[6.5rem_minmax(0,1fr)] gap-x-3 gap-y-2.5 sm:grid-cols-[7.5rem_minmax(0,1fr)]">
      {children}
    </dl>
  );
}

export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-quiet">{name}</dt>
      <dd className="min-w-0 wrap-anywhere">{children}</dd>
    </>
  );
}

/** Something to be compared or pasted, whole, with its copy button. */
export function Code({ text, label }: { text: string; label: string }) {
  return (
    <span className="flex items-center gap-1">
      <code className="relative top-px min-w-0 grow font-mono text-xs wrap-anywhere">{text}</code>
      <span className="-my-1.5 max-sm:-my-2.5">
        <CopyButton text={text} label={label} />
      </span>
    </span>
  );
}
