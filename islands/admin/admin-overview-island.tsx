import { useQuery } from '@tanstack/react-query';
import { Router, useSearchParams } from 'wouter';
import {
  ADMIN_CHART_TYPES,
  type AdminChartType,
  type AdminJobsWire,
  type AdminOverviewWire,
  REVENUE_UNIT,
} from '../../server/contract/admin.ts';
import { CHART_UNITS, type ChartUnit } from '../../server/contract/charts.ts';
import { formatBalance } from '../../server/contract/money.ts';
import { formatBytes } from '../../server/contract/units.ts';
import { api, call } from '../api.ts';
import { Choice } from '../ui/choice.tsx';
import { DateRange } from '../ui/date-range.tsx';
import { PageHead } from '../ui/page-head.tsx';
import { Spinner } from '../ui/spinner.tsx';
import { ErrorState } from '../ui/states.tsx';
import { BarChart } from '../usage/bar-chart.tsx';
import { ValuesTable } from '../usage/values-table.tsx';
import { toggled } from '../usage/view.ts';
import { JobsPanel } from './jobs-panel.tsx';
import {
  monthAround,
  type OverviewView,
  overviewAddress,
  overviewParams,
  readOverviewView,
  shownOverview,
} from './views.ts';

type Props = {
  /** Of the page's URL, for rendering it on the server. */
  path: string;
  search: string;
  /** The day of the server, in UTC. */
  today: string;
  /** Null where the view in the URL can not be had. */
  first: AdminOverviewWire | null;
  jobs: AdminJobsWire;
};

const UNITS = Object.fromEntries(Object.keys(CHART_UNITS).map((unit) => [unit, unit])) as Record<
  ChartUnit,
  string
>;
const MONEY = { [REVENUE_UNIT]: REVENUE_UNIT };

/** The whole server by the day; what is shown is in the page's URL. */
export default function AdminOverviewIsland(props: Props) {
  return (
    <Router ssrPath={props.path} ssrSearch={props.search}>
      <Overview {...props} />
    </Router>
  );
}

function Overview({ search, today, first, jobs }: Props) {
  const [params, setParams] = useSearchParams();
  const view = readOverviewView(params);
  const shown = shownOverview(view);
  const query = overviewParams(view, today);
  const rendered = overviewParams(readOverviewView(new URLSearchParams(search)), today);
  const isFirst = JSON.stringify(query) === JSON.stringify(rendered);
  const { data, isError, isFetching, refetch } = useQuery({
    queryKey: ['admin', 'overview', query],
    queryFn: () => call(api.admin.overview.get({ query })),
    ...(isFirst && first && { initialData: first }),
  });
  const change = (part: Partial<OverviewView>) => setParams(overviewAddress({ ...view, ...part }));
  /** Money has a unit of its own, and what comes after it begins at KiB again. */
  const chart = (chartType: AdminChartType) =>
    change({ chartType: toggled(view.chartType, chartType), unit: undefined });
  const isMoney = shown.chartType === 'revenue';
  const what = ADMIN_CHART_TYPES[shown.chartType];
  const unit = isMoney ? 'USD' : shown.unit;

  return (
    <>
      <PageHead
        title="Overview"
        text="What this server stores, sends and earns, by the day in UTC."
      />
      <Summary overview={data} />
      <section aria-label="Chart" className="card mt-3" aria-busy={isFetching}>
        <div className="flex flex-wrap items-center gap-2 border-b border-base-300 p-4">
          <Choice
            label="Chart type"
            options={ADMIN_CHART_TYPES}
            value={shown.chartType}
            onSelect={chart}
          />
          {isMoney ? (
            <Choice label="Unit" options={MONEY} value={REVENUE_UNIT} onSelect={() => {}} />
          ) : (
            <Choice
              label="Unit"
              options={UNITS}
              value={shown.unit}
              onSelect={(unit) => change({ unit: toggled(view.unit, unit) })}
            />
          )}
          <DateRange
            className="w-full sm:ml-auto sm:w-72"
            value={view.range ?? monthAround(today)}
            onValue={(range) => change({ range })}
          />
        </div>
        <div className="p-2 sm:p-4">
          {data ? (
            <BarChart
              stats={data.stats}
              unit={unit}
              today={today}
              label={`${what} by the day, in ${unit}. The values are in the table below.`}
            />
          ) : (
            <div className="grid h-[500px] place-items-center">
              {isError || (isFirst && !isFetching) ? (
                <ErrorState tried="The chart could not be loaded." onRetry={() => refetch()} />
              ) : (
                <Spinner />
              )}
            </div>
          )}
        </div>
        <ValuesTable stats={data?.stats ?? []} heading={`${what}, ${unit}`} />
      </section>
      <JobsPanel first={jobs} />
    </>
  );
}

/** The sums of the range. */
function Summary({ overview }: { overview: AdminOverviewWire | undefined }) {
  const figures = [
    ['Disk usage', overview && formatBytes(overview.usage)],
    ['Bandwidth', overview && formatBytes(overview.bandwidth)],
    ['Total uploads', overview?.total_uploads.toLocaleString('en-US')],
    ['Revenue', overview && formatBalance(overview.revenue)],
  ] as const;
  return (
    <dl aria-live="polite" className="mt-6 grid grid-cols-2 gap-3 xl:grid-cols-4">
      {figures.map(([label, value]) => (
        <div key={label} className="card p-4">
          <dt className="text-quiet">{label}</dt>
          <dd className="numbers mt-1 text-xl font-semibold">{value ?? '–'}</dd>
        </div>
      ))}
    </dl>
  );
}
