import type { ReactNode } from 'react';
import type { ChartWire } from '../../server/contract/wire.ts';
import { Spinner } from '../ui/spinner.tsx';
import { ErrorState } from '../ui/states.tsx';
import { BarChart } from './bar-chart.tsx';
import { ValuesTable } from './values-table.tsx';

/** Daily values as bars and as a table. `children` choose what is charted. */
export function ChartPanel({
  className,
  stats,
  what,
  unit,
  today,
  isFetching,
  isFailed,
  onRetry,
  children,
}: {
  className: string;
  /** Undefined until they are there. */
  stats: ChartWire['stats'] | undefined;
  /** 'Bandwidth' */
  what: string;
  unit: string;
  /** In UTC, yyyy-MM-dd. */
  today: string;
  isFetching: boolean;
  isFailed: boolean;
  onRetry: () => void;
  children: ReactNode;
}) {
  return (
    <section aria-label="Chart" className={`card ${className}`} aria-busy={isFetching}>
      <div className="flex flex-wrap items-center gap-2 border-b border-base-300 p-4">
        {children}
      </div>
      <div className="relative p-2 sm:p-4">
        {stats?.every(({ data }) => data === 0) && (
          <p className="pointer-events-none absolute inset-0 z-1 grid place-items-center">
            <span className="rounded-md bg-base-200 px-3 py-1.5 text-quiet">
              No data for this period.
            </span>
          </p>
        )}
        {stats ? (
          <BarChart
            stats={stats}
            unit={unit}
            today={today}
            label={`${what} by the day, in ${unit}. The values are in the table below.`}
          />
        ) : (
          <div className="grid h-[500px] place-items-center">
            {isFailed ? (
              <ErrorState tried="The chart could not be loaded." onRetry={onRetry} />
            ) : (
              <Spinner />
            )}
          </div>
        )}
      </div>
      <ValuesTable stats={stats ?? []} heading={`${what}, ${unit}`} />
    </section>
  );
}
