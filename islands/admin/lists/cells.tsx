import type { ReactNode } from 'react';
import { openBy } from '../../ui/use-opened.ts';

/** On a card, cells follow each other in a line. */
export const onCard =
  "max-sm:text-xs max-sm:text-quiet max-sm:not-first:before:mr-1.5 max-sm:not-first:before:content-['·']";

/** A column of numbers. */
export const figure = (width: string) => ({
  className: `numbers whitespace-nowrap sm:text-right ${width}`,
  card: onCard,
});

/** What a row is called: it leads to the details. */
export function DetailsLink({
  name,
  id,
  mark = null,
  children,
}: {
  /** Of the parameter that says what is open. */
  name: string;
  id: string;
  /** A word of what is the matter. */
  mark?: string | null;
  children: ReactNode;
}) {
  return (
    <span className="flex min-w-0 items-baseline gap-2">
      <a
        href={`?${name}=${id}`}
        className="truncate font-medium hover:underline max-sm:after:absolute max-sm:after:inset-0"
        onClick={(event) => {
          if (event.ctrlKey || event.metaKey || event.shiftKey) return;
          event.preventDefault();
          openBy(name, id);
        }}
      >
        {children}
      </a>
      {mark && <span className="shrink-0 text-xs font-medium text-error">{mark}</span>}
    </span>
  );
}
