import { GIB, KIB, MIB } from './limits.ts';

/** What a bucket's chart shows, by the name the API calls it. */
export const CHART_TYPES = {
  'disk-all': 'Disk-All',
  'disk-active': 'Disk-Active',
  bandwidth: 'Bandwidth',
} as const;
export type ChartType = keyof typeof CHART_TYPES;

/** Bytes in each unit that a chart can be in. */
export const CHART_UNITS = {
  Bytes: 1,
  KiB: KIB,
  MiB: MIB,
  GiB: GIB,
  TiB: 1024 * GIB,
} as const;
export type ChartUnit = keyof typeof CHART_UNITS;

/** What is charted where nothing is asked for; the range is then the current month. */
export const CHART_DEFAULTS = { chartType: 'disk-all', unit: 'KiB' } as const;

/** Longest range of a chart. */
export const CHART_DAYS_MAX = 400;
