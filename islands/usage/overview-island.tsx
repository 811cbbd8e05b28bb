import { useQuery } from '@tanstack/react-query';
import { useSearchParams } from 'wouter';
import { CHART_TYPES, type ChartUnit, COUNT_UNITS } from '../../server/contract/charts.ts';
import { formatCount, formatFigure } from '../../server/contract/units.ts';
import type { ChartWire } from '../../server/contract/wire.ts';
import { call } from '../runtime/api.ts';
import { DateRange } from '../ui/date/date-range.tsx';
import { Choice, Toggles } from '../ui/menu/choice.tsx';
import { PageRouter } from '../ui/page-router.tsx';
import { ChartPanel } from './chart-panel.tsx';
import {
  type ChartView,
  inFittingUnit,
  PRESETS,
  paramsOf,
  presetOf,
  presetRange,
  readView,
  selectionOf,
  toggled,
  UNITS,
} from './view.ts';

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
    <PageRouter path={props.path} search={props.search}>
      <Overview {...props} />
    </PageRouter>
  );
}

function Overview({ bucketId, search, today, chart: rendered }: Props) {
  const [params, setParams] = useSearchParams();
  const view = readView(params);
  const { chartType, unit: loadedUnit } = selectionOf(view);
  const first = { chart: rendered, view: readView(new URLSearchParams(search)) };
  const { data, isError, isFetching, refetch } = useChart(bucketId, view, first);
  const change = (part: Partial<ChartView>) => {
    const next = paramsOf({ ...view, ...part });
    // A navigation to the same URL would make the user press Back twice.
    if (JSON.stringify(next) !== JSON.stringify(paramsOf(view))) setParams(next);
  };
  const what = CHART_TYPES[chartType];
  const countUnit = COUNT_UNITS[chartType];
  const fixedUnit = countUnit ?? view.unit;
  const chart = data && (fixedUnit ? { ...data, unit: fixedUnit } : inFittingUnit(data));
  const unit = chart?.unit ?? loadedUnit;
  const format = chartType === 'requests' ? formatCount : formatFigure;

  return (
    <ChartPanel
      className="mt-3"
      stats={chart?.stats}
      previous={chart?.previous}
      what={what}
      unit={unit}
      format={format}
      today={today}
      isFetching={isFetching}
      isFailed={isError}
      onRetry={refetch}
    >
      <p className="w-full py-1 text-base" aria-live="polite">
        {chartType !== 'hit-ratio' && 'Total '}
        {what}:{' '}
        <strong className="numbers font-semibold">{chart ? format(chart.usage) : '–'}</strong>{' '}
        {chartType !== 'requests' && unit}
      </p>
      {!countUnit && (
        <Choice
          label="Unit"
          options={UNITS}
          value={unit as ChartUnit}
          onSelect={(chosen) => change({ unit: unit === chosen ? undefined : chosen })}
        />
      )}
      <Choice
        label="Chart data"
        options={CHART_TYPES}
        value={chartType}
        onSelect={(chosen) => change({ chartType: toggled(chartType, chosen) })}
      />
      <div className="flex w-full flex-wrap gap-2 xl:ml-auto xl:w-auto">
        <Toggles
          label="Last days"
          options={PRESETS}
          value={presetOf(view.range, today)}
          onValue={(preset) => change({ range: preset ? presetRange(preset, today) : null })}
        />
        <DateRange
          className="w-full sm:w-72"
          value={view.range}
          onValue={(range) => change({ range })}
        />
      </div>
    </ChartPanel>
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
