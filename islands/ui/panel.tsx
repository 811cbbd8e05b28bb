import { type ReactNode, useId } from 'react';

/**
 * A section of a page: its title and text, and a card with its settings or rows. They stand side by side where the
 * section is wide. A `danger` section has a red border.
 */
export function Panel({
  title,
  text,
  danger = false,
  action,
  children,
}: {
  title: string;
  text?: ReactNode;
  danger?: boolean;
  /** A control that belongs to the title. */
  action?: ReactNode;
  children?: ReactNode;
}) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="@container min-w-0">
      <div className="grid grid-cols-[minmax(0,1fr)] gap-x-10 gap-y-3 @3xl:grid-cols-[15rem_minmax(0,1fr)]">
        <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3 @xl:flex-nowrap @3xl:flex-col @3xl:justify-start">
          <div className="min-w-0">
            <h2 id={id} className="text-base font-semibold">
              {title}
            </h2>
            {text && <p className="mt-1 max-w-prose text-pretty text-quiet">{text}</p>}
          </div>
          {action}
        </div>
        {children && (
          <div className={`card min-w-0 self-start p-5 ${danger ? 'border-error' : ''}`}>
            {children}
          </div>
        )}
      </div>
    </section>
  );
}
