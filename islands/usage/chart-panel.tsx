import ChevronRight from 'lucide-react/icons/chevron-right';
import type { ReactNode } from 'react';
import { fullDay, shortDay } from '../../server/contract/dates/format.ts';
import { formatFigure } from '../../server/contract/units.ts';
import type { ChartWire } from '../../server/contract/wire.ts';
import { CopyButton } from '../ui/copy-button.tsx';
import { ErrorState, Spinner } from '../ui/states.tsx';
import { BarChart } from './bar-chart.tsx';

type Values = ChartWire['stats'];

/** Daily values as a chart and as a table. `children` are the controls that choose the data. */
export function ChartPanel({
  className,
  stats,
  previous = { usage: 0, stats: [] },
  what,
  unit,
  format = formatFigure,
  today,
  isFetching,
  isFailed,
  onRetry,
  children,
}: {
  className: string;
  /** Undefined until the values are loaded. */
  stats: Values | undefined;
  /** What the period before comes to, and its values day by day from its first one. */
  previous?: ChartWire['previous'] | undefined;
  /** The name of the values, such as 'Bandwidth'. */
  what: string;
  unit: string;
  format?: (value: number) => string;
  /** The current day in UTC, yyyy-MM-dd. */
  today: string;
  isFetching: boolean;
  isFailed: boolean;
  onRetry: () => void;
  children: ReactNode;
}) {
  // Nothing is drawn behind the bars where there was nothing.
  const before = previous.stats.some(({ data }) => data !== 0) ? previous.stats : [];
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
            previous={before}
            unit={unit}
            format={format}
            today={today}
            label={`${what} by day, in ${unit}. The values are in the table below.`}
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
      {stats && before.length > 0 && (
        <Legend stats={stats} previous={before} total={`${format(previous.usage)} ${unit}`} />
      )}
      <ValuesTable
        stats={stats ?? []}
        previous={before}
        heading={`${what}, ${unit}`}
        format={format}
      />
    </section>
  );
}

/**
 * Says which days the bars are of, and which what is behind them.
 * @param props.total what the period before comes to
 */
function Legend({ stats, previous, total }: { stats: Values; previous: Values; total: string }) {
  const mark = 'size-2.5 shrink-0 rounded-xs';
  return (
    <p className="numbers flex flex-wrap gap-x-5 gap-y-1 px-4 pb-3 text-xs text-quiet">
      <span className="flex items-center gap-2">
        <span aria-hidden className={`${mark} bg-primary`} />
        {periodText(stats)}
      </span>
      <span className="flex items-center gap-2">
        <span aria-hidden className={`${mark} bg-base-content/20`} />
        {periodText(previous)}: {total}
      </span>
    </p>
  );
}

/** Returns the days of values, such as 'Oct 1 – Oct 28, 2026'. */
function periodText(days: Values): string {
  const [first, last] = [days[0]?.date ?? '', days.at(-1)?.date ?? ''];
  return first === last
    ? fullDay(first)
    : `${shortDay(first)} – ${shortDay(last)}, ${last.slice(0, 4)}`;
}

/** The values of a chart as a table, for screen readers and for copying into a spreadsheet. */
function ValuesTable({
  stats,
  previous,
  heading,
  format,
}: {
  stats: Values;
  previous: Values;
  heading: string;
  format: (value: number) => string;
}) {
  const rows = stats.map(({ date, data }, index) => {
    const before = previous[index];
    return { date, value: format(data), before: before && format(before.data) };
  });
  // Spreadsheets take a number without commas in every language.
  const copied = stats.map(({ date, data }) => [date, data.toFixed(2)]);
  const text = [['Day', heading], ...copied].map((row) => row.join('\t')).join('\n');
  return (
    <details className="group border-t border-base-300">
      <summary className="flex min-h-11 cursor-pointer items-center gap-1.5 px-4 font-medium text-quiet hover:text-base-content">
        <ChevronRight size={16} aria-hidden className="shrink-0 group-open:rotate-90" />
        Values as a table
      </summary>
      <div className="border-t border-base-300">
        <div className="flex items-center justify-between py-1 pr-2 pl-4 text-quiet">
          {stats.length} {stats.length === 1 ? 'day' : 'days'}
          <CopyButton text={text} label="Copy the values" />
        </div>
        <section
          aria-label="Daily values"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
          tabIndex={0}
          className="max-h-80 overflow-auto border-t border-base-300"
        >
          <table className="numbers w-full">
            <thead className="sticky top-0 bg-base-200 text-left text-quiet">
              <tr>
                <th scope="col" className="h-10 px-4 font-medium">
                  Day
                </th>
                <th scope="col" className="px-4 text-right font-medium">
                  {heading}
                </th>
                {previous.length > 0 && (
                  <th scope="col" className="px-4 text-right font-medium">
                    Period before
                  </th>
                )}
              </tr>
            </thead>
            <tbody>
              {rows.map(({ date, value, before }) => (
                <tr key={date} className="border-t border-base-300">
                  <th scope="row" className="h-9 px-4 text-left font-normal whitespace-nowrap">
                    {date}
                  </th>
                  <td className="px-4 text-right">{value}</td>
                  {previous.length > 0 && (
                    <td className="px-4 text-right text-quiet">{before ?? '–'}</td>
                  )}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      </div>
    </details>
  );
}
