import type { ApexOptions } from 'apexcharts';
import { formatFigure } from '../../server/contract/units.ts';
import { themeColour } from '../ui/use-theme.ts';
import { fullDay, labelledDays, shortDay } from './days.ts';

export const CHART_HEIGHT = 500;
/** Pixels that the label of a day takes, and all that stands beside the bars. */
const LABEL_WIDTH = 56;
const MARGIN = 90;

type Point = { date: string; data: number };

const amount = new Intl.NumberFormat('en-US', { maximumFractionDigits: 2 });

/** Today is a series of its own, stacked on the others, as only a series can be hatched. */
export const seriesOf = (stats: Point[], today: string) => [
  { name: 'Days', data: stats.map(({ date, data }) => (date === today ? 0 : data)) },
  { name: 'Today', data: stats.map(({ date, data }) => (date === today ? data : 0)) },
];

/** Everything of the chart but its values, in the colours of the theme in effect. */
export function optionsOf(stats: Point[], unit: string, theme: string, width: number): ApexOptions {
  const days = stats.map(({ date }) => date);
  const labelled = labelledDays(days, Math.floor((width - MARGIN) / LABEL_WIDTH));
  const accent = themeColour('--color-primary');
  const line = themeColour('--color-base-300');
  return {
    chart: {
      type: 'bar',
      stacked: true,
      height: CHART_HEIGHT,
      nonce: document.querySelector<HTMLScriptElement>('script[nonce]')?.nonce ?? '',
      animations: { enabled: false },
      background: 'transparent',
      fontFamily: 'inherit',
      foreColor: themeColour('--quiet'),
      parentHeightOffset: 0,
      toolbar: { show: false },
      zoom: { enabled: false },
    },
    theme: { mode: theme === 'wharf-light' ? 'light' : 'dark' },
    colors: [accent, accent],
    dataLabels: { enabled: false },
    fill: {
      opacity: 1,
      type: ['solid', 'pattern'],
      pattern: { style: 'slantedLines', width: 6, height: 6, strokeWidth: 2 },
    },
    grid: { borderColor: line },
    legend: { show: false },
    plotOptions: {
      bar: { borderRadius: 2, columnWidth: `${Math.min(72, 8 + days.length * 6)}%` },
    },
    states: { hover: { filter: { type: 'none' } }, active: { filter: { type: 'none' } } },
    tooltip: {
      shared: true,
      intersect: false,
      custom: ({ dataPointIndex }: { dataPointIndex: number }) => tip(stats[dataPointIndex], unit),
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
    yaxis: { min: 0, forceNiceScale: true, labels: { formatter: (value) => amount.format(value) } },
  };
}

/** Markup, as the chart wants it; nothing in it was typed by anybody. */
const tip = (point: Point | undefined, unit: string) =>
  point
    ? `<div class="chart-tip"><span>${fullDay(point.date)}</span><strong>${formatFigure(point.data)} ${unit}</strong></div>`
    : '';
