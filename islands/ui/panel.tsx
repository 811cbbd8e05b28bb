import { type ReactNode, useId } from 'react';

/** A card with a title, for settings that belong together. A `danger` panel has a red border. */
export function Panel({
  title,
  text,
  danger = false,
  action,
  children,
}: {
  title: string;
  text: ReactNode;
  danger?: boolean;
  /** A control at the right of the title. */
  action?: ReactNode;
  children?: ReactNode;
}) {
  const id = useId();
  return (
    <section aria-labelledby={id} className={`card min-w-0 p-6 ${danger ? 'border-error' : ''}`}>
      <div
        className={`flex flex-wrap ${children ? 'items-start' : 'items-center'} justify-between gap-x-6 gap-y-4`}
      >
        <div className="min-w-0">
          <h2 id={id} className="text-base font-semibold">
            {title}
          </h2>
          <p className="mt-1 max-w-prose text-pretty text-quiet">{text}</p>
        </div>
        {action}
      </div>
      {children && <div className="mt-5">{children}</div>}
    </section>
  );
}
