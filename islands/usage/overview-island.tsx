import { useQuery } from '@tanstack/react-query';
import { Router, useSearchParams } from 'wouter';
import { CHART_TYPES } from '../../server/contract/charts.ts';
import { formatFigure } from '../../server/contract/units.ts';
import type { ChartWire } from '../../server/contract/wire.ts';
import { call } from '../runtime/api.ts';
import { DateRange } from '../ui/date/date-range.tsx';
import { Choice } from '../ui/menu/choice.tsx';
import { PageHead } from '../ui/page-head.tsx';
import { ChartPanel } from './chart-panel.tsx';
import { type ChartView, paramsOf, readView, selectionOf, toggled, UNITS } from './view.ts';

type Props = {
  bucketId: string;
  /** The path and the query of the page's URL, for rendering on the server. */
  path: string;
  search: string;
  /** The current day of the server in UTC. */
  today: string;
  /** Null if the URL asks for a chart that the server can't make. */
  chart: ChartWire | null;
};

/** A bucket's chart. Its options are in the page's URL. */
export default function OverviewIsland(props: Props) {
  return (
    <Router ssrPath={props.path} ssrSearch={props.search}>
      <Overview {...props} />
    </Router>
  );
}

function Overview({ bucketId, search, today, chart: rendered }: Props) {
  const [params, setParams] = useSearchParams();
  const view = readView(params);
  const selection = selectionOf(view);
  const first = { chart: rendered, view: readView(new URLSearchParams(search)) };
  const { data, isError, isFetching, refetch } = useChart(bucketId, view, first);
  const change = (part: Partial<ChartView>) => {
    const next = paramsOf({ ...view, ...part });
    // A navigation to the same URL would make the user press Back twice.
    if (JSON.stringify(next) !== JSON.stringify(paramsOf(view))) setParams(next);
  };
  const what = CHART_TYPES[selection.chartType];

  return (
    <>
      <PageHead title="Overview" text="Daily storage and bandwidth of this bucket, in UTC." />
      <ChartPanel
        className="mt-6"
        stats={data?.stats}
        what={what}
        unit={selection.unit}
        today={today}
        isFetching={isFetching}
        isFailed={isError}
        onRetry={refetch}
      >
        <p className="w-full py-1 text-base xl:mr-auto xl:w-auto" aria-live="polite">
          Total {what}:{' '}
          <strong className="numbers font-semibold">{data ? formatFigure(data.usage) : '–'}</strong>{' '}
          {selection.unit}
        </p>
        <Choice
          label="Unit"
          options={UNITS}
          value={selection.unit}
          onSelect={(unit) => change({ unit: toggled(selection.unit, unit) })}
        />
        <Choice
          label="Chart data"
          options={CHART_TYPES}
          value={selection.chartType}
          onSelect={(chartType) => change({ chartType: toggled(selection.chartType, chartType) })}
        />
        <DateRange
          className="w-full sm:ml-auto sm:w-72 xl:ml-0"
          value={view.range}
          onValue={(range) => change({ range })}
        />
      </ChartPanel>
    </>
  );
}

/**
 * Loads a bucket's chart.
 * @param first the chart that the page was rendered with, and its view
 */
function useChart(
  bucketId: string,
  view: ChartView,
  first: { chart: ChartWire | null; view: ChartView },
) {
  const query = paramsOf(view);
  const isFirst = JSON.stringify(query) === JSON.stringify(paramsOf(first.view));
  return useQuery({
    queryKey: ['chart', bucketId, query],
    queryFn: (): Promise<ChartWire> =>
      call('GET /buckets/chart/:bucketID', { params: { bucketID: bucketId }, query }),
    ...(isFirst && first.chart && { initialData: first.chart }),
  });
}
