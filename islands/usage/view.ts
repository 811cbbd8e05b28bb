import {
  CHART_DEFAULTS,
  CHART_TYPES,
  CHART_UNITS,
  type ChartType,
  type ChartUnit,
} from '../../server/contract/charts.ts';
import { DAY } from '../../server/contract/limits.ts';
import type { ChartWire } from '../../server/contract/wire.ts';
import { type DayRange, formatRange, readRange } from '../ui/date/day-range.ts';

/** The options of a chart in the page's URL. The server chooses those that are undefined. */
export type ChartView = {
  range: DayRange | null;
  chartType: ChartType | undefined;
  unit: ChartUnit | undefined;
};

/** The units with their labels, for a dropdown. */
export const UNITS = Object.fromEntries(
  Object.keys(CHART_UNITS).map((unit) => [unit, unit]),
) as Record<ChartUnit, string>;

const oneOf = <Value extends string>(values: object, text: string | null) =>
  text !== null && Object.hasOwn(values, text) ? (text as Value) : undefined;

/** Reads the options from a URL. Invalid ones are ignored. */
export const readView = (search: URLSearchParams): ChartView => ({
  range: readRange(search.get('from'), search.get('to')),
  chartType: oneOf<ChartType>(CHART_TYPES, search.get('chartType')),
  unit: oneOf<ChartUnit>(CHART_UNITS, search.get('unit')),
});

/** Returns the parameters of a view for the page's URL and for the call, without those that are unset. */
export const paramsOf = ({ range, chartType, unit }: ChartView) => ({
  ...(range && { from: range.from, to: range.to }),
  ...(chartType && { chartType }),
  ...(unit && { unit }),
});

/** Returns the options of a view with the defaults filled in. */
export const selectionOf = ({ chartType, unit }: ChartView) => ({
  chartType: chartType ?? CHART_DEFAULTS.chartType,
  unit: unit ?? CHART_DEFAULTS.unit,
});

/**
 * Returns a chart, which the server sent in the default unit, in the largest unit that does not show its
 * highest day as less than 1.
 */
export function inFittingUnit({ previous, ...chart }: ChartWire): ChartWire & { unit: ChartUnit } {
  const inUnit = (value: number, unit: ChartUnit) =>
    (value * CHART_UNITS[CHART_DEFAULTS.unit]) / CHART_UNITS[unit];
  const highest = Math.max(0, ...chart.stats.map(({ data }) => data));
  const larger = (['TiB', 'GiB', 'MiB'] as const).find((unit) => inUnit(highest, unit) >= 1);
  const unit = larger ?? CHART_DEFAULTS.unit;
  const scaled = ({ usage, stats }: typeof chart) => ({
    usage: inUnit(usage, unit),
    stats: stats.map(({ date, data }) => ({ date, data: inUnit(data, unit) })),
  });
  return { unit, ...scaled(chart), previous: scaled(previous) };
}

/** The ranges that take one click: so many days, up to today. */
export const PRESETS = { '7': '7 days', '30': '30 days', '90': '90 days' } as const;
export type Preset = keyof typeof PRESETS;

/** Returns the days of a preset. `today` is yyyy-MM-dd. */
export function presetRange(preset: Preset, today: string): DayRange {
  const from = Date.parse(today) - (Number(preset) - 1) * DAY;
  return { from: new Date(from).toISOString().slice(0, 10), to: today };
}

/** Returns the preset that a range is, if it is one. */
export const presetOf = (range: DayRange | null, today: string): Preset | undefined =>
  (Object.keys(PRESETS) as Preset[]).find(
    (preset) => formatRange(presetRange(preset, today)) === formatRange(range),
  );

/** Returns the new value of an option. Choosing the current one clears it, as the specification says. */
export const toggled = <Value>(current: Value, selected: Value) =>
  current === selected ? undefined : selected;
