import type { ApexOptions } from 'apexcharts';
import { type ComponentType, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import type { Props as ChartProps } from 'react-apexcharts';

const short = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', timeZone: 'UTC' });
const full = new Intl.DateTimeFormat('en-US', {
  month: 'long',
  day: 'numeric',
  year: 'numeric',
  timeZone: 'UTC',
});

type Chart = ComponentType<ChartProps>;

/**
 * A bar for each day, and the values of the period before as an area behind them. The chart library needs a window and loads after the page, so its space is
 * reserved. Users who can't see the chart find the values in a table.
 */
export function BarChart({
  stats,
  previous,
  unit,
  format,
  label,
  today,
}: {
  stats: Point[];
  /** Empty where there is nothing to compare with. */
  previous: Point[];
  unit: string;
  format: (value: number) => string;
  label: string;
  today: string;
}) {
  const [Chart, setChart] = useState<Chart | null>(null);
  const [width, setWidth] = useState(0);
  const chartElement = useRef<HTMLDivElement>(null);
  const theme = useTheme();

  useEffect(() => {
    void import('react-apexcharts').then((module) => {
      const inner: unknown = module.default;
      // The bundle wraps the CommonJS module, so its default export is nested.
      const component = (inner as { default?: Chart }).default ?? (inner as Chart);
      setChart(() => component);
    });
  }, []);

  useEffect(() => {
    if (!chartElement.current) return;
    const observer = new ResizeObserver(([entry]) => setWidth(entry?.contentRect.width ?? 0));
    observer.observe(chartElement.current);
    return () => observer.disconnect();
  }, []);

  return (
    <div ref={chartElement} className="h-[500px] overflow-hidden" role="img" aria-label={label}>
      {Chart && width > 0 && (
        <Chart
          key={theme}
          type="bar"
          height={CHART_HEIGHT}
          width="100%"
          series={seriesOf(stats, previous, today)}
          options={optionsOf({ stats, previous, unit, format }, theme, width)}
        />
      )}
    </div>
  );
}

const CHART_HEIGHT = 500;
const TIP_HEIGHT = 40;
/** The width of a day's label, and of everything beside the bars, in pixels. */
const LABEL_WIDTH = 56;
const MARGIN = 90;

type Point = { date: string; data: number };

const amount = new Intl.NumberFormat('en-US', { maximumFractionDigits: 2 });

/**
 * Returns the values in two series, because only a whole series can be hatched: today's. Those of the period before come
 * first, as what is drawn first is behind.
 */
const seriesOf = (stats: Point[], previous: Point[], today: string) => [
  ...(previous.length > 0
    ? [{ name: 'Before', type: 'area', data: stats.map((_, at) => previous[at]?.data ?? null) }]
    : []),
  {
    name: 'Days',
    type: 'bar',
    data: stats.map(({ date, data }) => (date === today ? 0 : data)),
  },
  {
    name: 'Today',
    type: 'bar',
    data: stats.map(({ date, data }) => (date === today ? data : 0)),
  },
];

type Shown = {
  stats: Point[];
  previous: Point[];
  unit: string;
  format: (value: number) => string;
};

/** Returns the options of the chart, in the colours of the current theme. */
function optionsOf(shown: Shown, theme: string, width: number): ApexOptions {
  const { stats, previous } = shown;
  const days = stats.map(({ date }) => date);
  const labelled = labelledDays(days, Math.floor((width - MARGIN) / LABEL_WIDTH));
  // Without a value the scale would be made up, from 0 to 2.
  const hasData = [...stats, ...previous].some(({ data }) => data !== 0);
  const hasPrevious = previous.length > 0;
  const accent = themeColour('--color-primary');
  const line = themeColour('--color-base-300');
  const quiet = themeColour('--quiet');
  return {
    chart: {
      type: 'bar',
      stacked: true,
      height: CHART_HEIGHT,
      nonce: document.querySelector<HTMLScriptElement>('script[nonce]')?.nonce ?? '',
      animations: { enabled: false },
      background: 'transparent',
      fontFamily: 'inherit',
      foreColor: quiet,
      parentHeightOffset: 0,
      toolbar: { show: false },
      zoom: { enabled: false },
    },
    theme: { mode: theme === 'wharf-light' ? 'light' : 'dark' },
    colors: hasPrevious ? [quiet, accent, accent] : [accent, accent],
    dataLabels: { enabled: false },
    fill: {
      opacity: hasPrevious ? [0.28, 1, 1] : 1,
      type: hasPrevious ? ['solid', 'solid', 'pattern'] : ['solid', 'pattern'],
      pattern: { style: 'slantedLines', width: 6, height: 6, strokeWidth: 2 },
    },
    // The tooltip stands in the room above the bars.
    grid: { show: hasData, borderColor: line, padding: { top: TIP_HEIGHT } },
    stroke: { width: 0, curve: 'monotoneCubic' },
    markers: { size: 0 },
    legend: { show: false },
    plotOptions: {
      bar: {
        borderRadius: 2,
        columnWidth: `${Math.min(hasPrevious ? 56 : 72, 8 + days.length * 6)}%`,
      },
    },
    states: { hover: { filter: { type: 'none' } }, active: { filter: { type: 'none' } } },
    tooltip: {
      shared: true,
      intersect: false,
      fixed: { enabled: true, position: 'topLeft', offsetX: 0, offsetY: 0 },
      custom: ({ dataPointIndex: at }: { dataPointIndex: number }) =>
        tip(stats[at], previous[at], shown),
    },
    xaxis: {
      type: 'category',
      categories: days,
      axisBorder: { color: line },
      axisTicks: { show: false },
      crosshairs: { show: false },
      tooltip: { enabled: false },
      labels: {
        rotate: 0,
        trim: false,
        hideOverlappingLabels: false,
        formatter: (day: string) => (labelled.has(day) ? shortDay(day) : ''),
      },
    },
    yaxis: {
      show: hasData,
      min: 0,
      forceNiceScale: true,
      labels: { formatter: (value) => amount.format(value) },
    },
  };
}

/** Returns the HTML of a tooltip. Nothing in it is user input, so it needs no escaping. */
const tip = (point: Point | undefined, before: Point | undefined, { format, unit }: Shown) => {
  const line = (one: Point, name: string) =>
    `<span>${fullDay(one.date)}</span><${name}>${format(one.data)} ${unit}</${name}>`;
  return point
    ? `<div class="chart-tip">${line(point, 'strong')}${before ? line(before, 'em') : ''}</div>`
    : '';
};

/** Formats a day as 'Jan 31'. */
export const shortDay = (day: string) => short.format(new Date(day));
/** Formats a day as 'January 31, 2025'. */
export const fullDay = (day: string) => full.format(new Date(day));

/** Returns the days that get a label: at most `maxLabels`, evenly spaced, with the last one among them. */
export function labelledDays(days: string[], maxLabels: number): Set<string> {
  const step = Math.max(1, Math.ceil(days.length / Math.max(1, maxLabels)));
  return new Set(days.filter((_, index) => (days.length - 1 - index) % step === 0));
}

const root = () => document.documentElement;

function watch(changed: () => void) {
  const observer = new MutationObserver(changed);
  observer.observe(root(), { attributeFilter: ['data-theme'] });
  return () => observer.disconnect();
}

/** The current theme. The server renders the default one. */
const useTheme = (): string =>
  useSyncExternalStore(
    watch,
    () => root().dataset.theme ?? '',
    () => 'wharf-dark',
  );

/** Returns a colour of the current theme, for the chart, which our stylesheet does not reach. */
const themeColour = (name: string): string => getComputedStyle(root()).getPropertyValue(name);
