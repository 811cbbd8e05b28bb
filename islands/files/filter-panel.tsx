import SlidersHorizontal from 'lucide-react/icons/sliders-horizontal';
import { type ReactNode, useId, useState } from 'react';
import { count } from '../../server/contract/units.ts';

/** Filters in the row of a wide screen; on a phone they are below it, once a button has been pressed. */
export function FilterPanel({
  set,
  children,
}: {
  /** How many filters are set. */
  set: number;
  children: ReactNode;
}) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  return (
    <>
      <button
        type="button"
        aria-label={set > 0 ? `Show filters, ${count(set, 'filter')} set` : 'Show filters'}
        title="Filters"
        aria-expanded={isOpen}
        aria-controls={id}
        className="btn btn-square relative h-10 w-10 border-edge bg-base-200 aria-expanded:border-primary aria-expanded:text-primary sm:hidden"
        onClick={() => setOpen(!isOpen)}
      >
        <SlidersHorizontal size={16} aria-hidden />
        {set > 0 && (
          <span
            aria-hidden
            className="numbers absolute -top-1.5 -right-1.5 grid size-4 place-items-center rounded-full bg-primary text-[0.625rem] font-semibold text-primary-content"
          >
            {set}
          </span>
        )}
      </button>
      <div
        id={id}
        className={`gap-2 max-sm:order-last max-sm:basis-full max-sm:flex-wrap sm:contents ${isOpen ? 'flex' : 'hidden'}`}
      >
        {children}
      </div>
    </>
  );
}
