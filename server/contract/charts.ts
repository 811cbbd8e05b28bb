import { GIB, KIB, MIB } from './limits.ts';

/** The kinds of a bucket's chart, by their names in the API. */
export const CHART_TYPES = {
  'disk-all': 'Disk-All',
  'disk-active': 'Disk-Active',
  bandwidth: 'Bandwidth',
  requests: 'Requests',
  'hit-ratio': 'Hit ratio',
} as const;
export type ChartType = keyof typeof CHART_TYPES;

/** The units of the kinds that don't count bytes, whatever unit the query names. */
export const COUNT_UNITS: Partial<Record<ChartType, string>> = {
  requests: 'requests',
  'hit-ratio': '%',
};

/** How many bytes each unit of a chart has. */
export const CHART_UNITS = {
  Bytes: 1,
  KiB: KIB,
  MiB: MIB,
  GiB: GIB,
  TiB: 1024 * GIB,
} as const;
export type ChartUnit = keyof typeof CHART_UNITS;

/** The chart of a bucket where the query names none; its range is then the current month. */
export const CHART_DEFAULTS = { chartType: 'disk-all', unit: 'KiB' } as const;

/** The longest range of a chart, in days. */
export const CHART_DAYS_MAX = 400;

/** How many files a bucket's list of top files has, and the most days of its range. */
export const TOP_FILES = 10;
export const TOP_FILES_DAYS_MAX = 92;

/** The kinds of the admin's chart, by their names in the API. */
export const ADMIN_CHART_TYPES = {
  disk: 'Disk',
  bandwidth: 'Bandwidth',
  revenue: 'Revenue',
} as const;
export type AdminChartType = keyof typeof ADMIN_CHART_TYPES;

/** The admin's chart where the query names none. */
export const ADMIN_CHART_DEFAULTS = { chartType: 'disk', unit: 'KiB' } as const;

/** The label of the unit of revenue, which is USD whatever unit the query names. */
export const REVENUE_UNIT = 'Revenue USD $';
