import type { ReactNode } from 'react';

/** The page's title, one line about it, and its main action at the right. */
export function PageHead({
  title,
  text,
  children,
}: {
  title: string;
  text: string;
  children?: ReactNode;
}) {
  return (
    <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-4">
      <div className="min-w-0 sm:flex-1 sm:basis-80">
        <h1 className="text-xl leading-7 font-semibold">{title}</h1>
        <p className="mt-1 text-pretty text-quiet">{text}</p>
      </div>
      {children}
    </div>
  );
}
