import {
  CHART_DEFAULTS,
  CHART_TYPES,
  CHART_UNITS,
  type ChartType,
  type ChartUnit,
} from '../../server/contract/charts.ts';
import { type DayRange, readRange } from '../ui/date/day-range.ts';

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

/** Returns the new value of an option. Choosing the current one clears it, as the specification says. */
export const toggled = <Value>(current: Value, selected: Value) =>
  current === selected ? undefined : selected;
