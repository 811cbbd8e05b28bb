import { useQuery } from '@tanstack/react-query';
import { useSearchParams } from 'wouter';
import {
  ADMIN_CHART_TYPES,
  type AdminChartType,
  REVENUE_UNIT,
} from '../../server/contract/charts.ts';
import { formatBalance } from '../../server/contract/money.ts';
import { formatBytes } from '../../server/contract/units.ts';
import type {
  AdminOperationsWire,
  AdminOverviewWire,
  AdminOwedWire,
  Page,
} from '../../server/contract/wire.ts';
import { call } from '../runtime/api.ts';
import { DateRange } from '../ui/date/date-range.tsx';
import { Choice } from '../ui/menu/choice.tsx';
import { PageHead } from '../ui/page-head.tsx';
import { PageRouter } from '../ui/page-router.tsx';
import { Warning } from '../ui/warning.tsx';
import { ChartPanel, toggled, UNITS } from '../usage/shared.ts';
import { useOperations } from './admin-calls.ts';
import { OwedPaymentsPanel } from './owed-panel.tsx';
import {
  monthAround,
  type OverviewView,
  overviewParams,
  overviewQuery,
  readOverviewView,
  selectionOf,
} from './views.ts';

type Props = {
  /** The path and the query of the page's URL, for rendering on the server. */
  path: string;
  search: string;
  /** The current day of the server in UTC. */
  today: string;
  /** Null if the URL asks for a chart that the server can't make. */
  first: AdminOverviewWire | null;
  /** Null if the checks took too long to be waited for. */
  operations: AdminOperationsWire | null;
  owed: Page<AdminOwedWire>;
};

const MONEY = { [REVENUE_UNIT]: REVENUE_UNIT };

/** A chart of the whole server by day, whose options are in the page's URL. */
export default function AdminOverviewIsland(props: Props) {
  return (
    <PageRouter path={props.path} search={props.search}>
      <Overview {...props} />
    </PageRouter>
  );
}

function Overview({ search, today, first, operations, owed }: Props) {
  const [params, setParams] = useSearchParams();
  const view = readOverviewView(params);
  const selection = selectionOf(view);
  const query = overviewParams(view, today);
  const rendered = overviewParams(readOverviewView(new URLSearchParams(search)), today);
  const isFirst = JSON.stringify(query) === JSON.stringify(rendered);
  const { data, isError, isFetching, refetch } = useQuery({
    queryKey: ['admin', 'overview', query],
    queryFn: () => call('GET /admin/overview', { query }),
    ...(isFirst && first && { initialData: first }),
  });
  const change = (part: Partial<OverviewView>) => {
    const next = overviewQuery({ ...view, ...part });
    if (JSON.stringify(next) !== JSON.stringify(overviewQuery(view))) setParams(next);
  };
  /** Changing the type resets the unit, because revenue has its own. */
  const chart = (chartType: AdminChartType) =>
    change({ chartType: toggled(selection.chartType, chartType), unit: undefined });
  const isMoney = selection.chartType === 'revenue';
  const what = ADMIN_CHART_TYPES[selection.chartType];
  const unit = isMoney ? 'USD' : selection.unit;

  return (
    <>
      <PageHead
        title="Overview"
        text="Daily storage, bandwidth and revenue of this server, in UTC."
      />
      <Attention first={operations} />
      <Summary overview={data} />
      <ChartPanel
        className="mt-3"
        stats={data?.stats}
        what={what}
        unit={unit}
        today={today}
        isFetching={isFetching}
        isFailed={isError || (isFirst && !isFetching)}
        onRetry={refetch}
      >
        <Choice
          label="Chart type"
          options={ADMIN_CHART_TYPES}
          value={selection.chartType}
          onSelect={chart}
        />
        {isMoney ? (
          <Choice label="Unit" options={MONEY} value={REVENUE_UNIT} onSelect={() => {}} />
        ) : (
          <Choice
            label="Unit"
            options={UNITS}
            value={selection.unit}
            onSelect={(unit) => change({ unit: toggled(selection.unit, unit) })}
          />
        )}
        <DateRange
          className="w-full sm:ml-auto sm:w-72"
          value={view.range ?? monthAround(today)}
          onValue={(range) => change({ range })}
        />
      </ChartPanel>
      <div className="panels">
        <OwedPaymentsPanel first={owed} />
      </div>
    </>
  );
}

/** Leads to what needs the operator's attention. */
function Attention({ first }: { first: AdminOperationsWire | null }) {
  const { data } = useOperations(first ?? undefined);
  if (!data || data.warnings.length === 0) return null;
  return (
    <div className="mt-4">
      <Warning>
        {data.warnings[0]?.problem}{' '}
        <a className="link" href="/admin/operations">
          {data.warnings.length > 1
            ? `See what to do about this and ${data.warnings.length - 1} more`
            : 'See what to do'}
        </a>
      </Warning>
    </div>
  );
}

/** The totals of the date range. */
function Summary({ overview }: { overview: AdminOverviewWire | undefined }) {
  const figures = [
    ['Disk usage', overview && formatBytes(overview.usage)],
    ['Bandwidth', overview && formatBytes(overview.bandwidth)],
    ['Total uploads', overview?.total_uploads.toLocaleString('en-US')],
    ['Revenue', overview && formatBalance(overview.revenue)],
    ['Outstanding credit', overview && formatBalance(overview.credit.outstanding)],
    ['Unbilled usage', overview && formatBalance(overview.credit.unbilled)],
  ] as const;
  return (
    <dl aria-live="polite" className="mt-6 grid grid-cols-2 gap-3 md:grid-cols-3">
      {figures.map(([label, value]) => (
        <div key={label} className="card p-4">
          <dt className="text-quiet">{label}</dt>
          <dd className="numbers mt-1 text-xl font-semibold">{value ?? '–'}</dd>
        </div>
      ))}
    </dl>
  );
}
