import {
  CHART_DEFAULTS,
  CHART_TYPES,
  CHART_UNITS,
  type ChartType,
  type ChartUnit,
} from '../../server/contract/charts.ts';
import { type DayRange, readRange } from '../ui/date/day-range.ts';

/** What the page's URL asks the chart to show; undefined is the server's to choose. */
export type ChartView = {
  range: DayRange | null;
  chartType: ChartType | undefined;
  unit: ChartUnit | undefined;
};

/** The units as they are shown, for a choice. */
export const UNITS = Object.fromEntries(
  Object.keys(CHART_UNITS).map((unit) => [unit, unit]),
) as Record<ChartUnit, string>;

const oneOf = <Value extends string>(values: object, text: string | null) =>
  text !== null && Object.hasOwn(values, text) ? (text as Value) : undefined;

/** Whatever is no choice counts as none. */
export const readView = (search: URLSearchParams): ChartView => ({
  range: readRange(search.get('from'), search.get('to')),
  chartType: oneOf<ChartType>(CHART_TYPES, search.get('chartType')),
  unit: oneOf<ChartUnit>(CHART_UNITS, search.get('unit')),
});

/** The parameters of a view, for the page's URL and for the call. What is unset is not among them. */
export const paramsOf = ({ range, chartType, unit }: ChartView) => ({
  ...(range && { from: range.from, to: range.to }),
  ...(chartType && { chartType }),
  ...(unit && { unit }),
});

/** What is charted of a view. */
export const shownOf = ({ chartType, unit }: ChartView) => ({
  chartType: chartType ?? CHART_DEFAULTS.chartType,
  unit: unit ?? CHART_DEFAULTS.unit,
});

/** Choosing what is shown clears it, the default too: the server chooses then. */
export const toggled = <Value>(shown: Value, chosen: Value) =>
  shown === chosen ? undefined : chosen;
