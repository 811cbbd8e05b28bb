/** What the admin's chart shows, by the name the API calls it. */
export const ADMIN_CHART_TYPES = {
  disk: 'Disk',
  bandwidth: 'Bandwidth',
  revenue: 'Revenue',
} as const;
export type AdminChartType = keyof typeof ADMIN_CHART_TYPES;

/** What is charted where nothing is asked for. */
export const ADMIN_CHART_DEFAULTS = { chartType: 'disk', unit: 'KiB' } as const;

/** The unit that money is in, whatever is asked for. */
export const REVENUE_UNIT = 'Revenue USD $';

/** USD that can be granted at once. */
export const GRANT_MAX = 10_000;
