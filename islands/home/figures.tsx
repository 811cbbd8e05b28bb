import type { ReactNode } from 'react';
import type { HomeSummary, MonthSeries } from '../../server/contract/home/summary.ts';
import { formatBalance } from '../../server/contract/money.ts';
import { count, formatBytes, formatCount } from '../../server/contract/units.ts';
import { daysLeftText, remainingDays } from '../billing/shared.ts';
import { compareMonths, formatGrowth, previousDays } from './comparison.ts';
import { MonthBars } from './month-bars.tsx';

/** A balance that lasts for fewer days is marked. */
const LOW_DAYS = 7;
const NEARLY_FULL = 0.9;

/** The balance of an account, what it stores, and what it has sent this month. */
export function Figures({ summary }: { summary: HomeSummary }) {
  const { balance, storage, months, today } = summary;
  return (
    <dl className="mt-6 grid gap-3 max-sm:grid-cols-2 sm:auto-cols-fr sm:grid-flow-col">
      {balance && <Balance {...balance} />}
      <Storage storage={storage} series={months?.storage} />
      {months && <Bandwidth series={months.bandwidth} today={today} />}
      {months && <Requests series={months.requests} today={today} />}
    </dl>
  );
}

function Balance({ credit, recent }: NonNullable<HomeSummary['balance']>) {
  const days = remainingDays(credit, recent);
  const isLow = credit <= 0 || (days !== null && days < LOW_DAYS);
  return (
    <Figure
      isWide
      label="Balance"
      value={
        <a href="/billing" className="link-hover">
          {formatBalance(credit)}
        </a>
      }
      note={
        <span className={isLow ? 'text-warning' : ''}>
          {credit <= 0
            ? 'Your balance is used up'
            : days === null
              ? 'No charges yet'
              : daysLeftText(days)}
        </span>
      }
    />
  );
}

function Storage({
  storage: { stored, unfinished, limit, files },
  series,
}: {
  storage: HomeSummary['storage'];
  series: MonthSeries | undefined;
}) {
  const used = stored + unfinished;
  const isNearlyFull = limit !== null && used >= NEARLY_FULL * limit;
  return (
    <Figure
      isWide={!series}
      label="Storage"
      value={formatBytes(stored)}
      aside={count(files, 'file')}
      note={
        limit === null ? (
          series && formatGrowth(series)
        ) : (
          <span className={isNearlyFull ? 'text-warning' : ''}>
            {formatBytes(Math.max(0, limit - used))} of {formatBytes(limit)} left
          </span>
        )
      }
      bars={series}
    />
  );
}

function Requests({ series, today }: { series: MonthSeries; today: string }) {
  const { current, previous, change } = compareMonths(series);
  return (
    <Figure
      isWide
      label="Requests this month"
      value={formatCount(current)}
      aside={change}
      note={`${previous > 0 ? formatCount(previous) : 'None'} on ${previousDays(today, series)}`}
      bars={series}
    />
  );
}

function Bandwidth({ series, today }: { series: MonthSeries; today: string }) {
  const { current, previous, change } = compareMonths(series);
  return (
    <Figure
      label="Bandwidth this month"
      value={formatBytes(current)}
      aside={change}
      note={`${previous > 0 ? formatBytes(previous) : 'Nothing'} on ${previousDays(today, series)}`}
      bars={series}
    />
  );
}

/**
 * One figure.
 * @param props.aside what stands beside it, such as its change
 * @param props.isWide whether it is as wide as the others together on a small screen
 * @param props.bars its daily values, of which the bars are drawn
 */
function Figure({
  label,
  value,
  aside,
  note,
  bars,
  isWide = false,
}: {
  label: string;
  value: ReactNode;
  aside?: ReactNode;
  note: ReactNode;
  bars?: MonthSeries;
  isWide?: boolean;
}) {
  return (
    <div
      className={`card flex min-w-0 flex-col p-4 max-sm:px-3 max-sm:only:col-span-2 ${isWide ? 'max-sm:col-span-2' : ''}`}
    >
      <dt className="text-quiet">{label}</dt>
      <dd className="numbers mt-1 flex flex-wrap items-baseline justify-between gap-x-3">
        <span className="text-xl font-semibold">{value}</span>
        {aside && <span className="text-xs text-quiet">{aside}</span>}
      </dd>
      <dd className="numbers mt-0.5 text-xs text-quiet">{note}</dd>
      {bars && <MonthBars series={bars} />}
    </div>
  );
}
