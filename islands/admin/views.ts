import { AUDIT_SECTIONS, type AuditSection } from '../../server/contract/audit.ts';
import {
  ADMIN_CHART_DEFAULTS,
  ADMIN_CHART_TYPES,
  type AdminChartType,
  CHART_UNITS,
  type ChartUnit,
} from '../../server/contract/charts.ts';
import { type DayRange, readRange, readZonedRange } from '../ui/date/day-range.ts';
import { normalizeSearch, toSearchParam } from '../ui/form/search-field.tsx';

/* The options in the URLs of the admin pages, and the parameters of the calls that load their data. */

const oneOf = <Value extends string>(values: object, text: string | null) =>
  text !== null && Object.hasOwn(values, text) ? (text as Value) : undefined;

export type OverviewView = {
  range: DayRange | null;
  chartType: AdminChartType | undefined;
  unit: ChartUnit | undefined;
};
export const readOverviewView = (search: URLSearchParams): OverviewView => ({
  range: readRange(search.get('from'), search.get('to')),
  chartType: oneOf(ADMIN_CHART_TYPES, search.get('chartType')),
  unit: oneOf(CHART_UNITS, search.get('unit')),
});
export const overviewQuery = ({ range, chartType, unit }: OverviewView) => ({
  ...range,
  ...(chartType && { chartType }),
  ...(unit && { unit }),
});
export const selectionOf = ({ chartType, unit }: OverviewView) => ({
  chartType: chartType ?? ADMIN_CHART_DEFAULTS.chartType,
  unit: unit ?? ADMIN_CHART_DEFAULTS.unit,
});

/** Returns the first and the last day of the month of a day. */
export function monthAround(today: string): DayRange {
  const [year = 0, month = 1] = today.split('-').map(Number);
  const last = new Date(Date.UTC(year, month, 0)).toISOString().slice(0, 10);
  return { from: `${today.slice(0, 8)}01`, to: last };
}
/** @param today the current day in UTC, whose month is the default range */
export const overviewParams = (view: OverviewView, today: string) => ({
  ...overviewQuery({ ...view, range: view.range ?? monthAround(today) }),
  ...selectionOf(view),
});

export type BucketView = { name: string; range: DayRange | null };
export const readBucketView = (search: URLSearchParams): BucketView => ({
  name: normalizeSearch(search.get('name') ?? ''),
  range: readZonedRange(search),
});
export const bucketQuery = ({ name, range }: BucketView) => ({
  ...(name && { name }),
  ...range,
});
export const bucketParams = (view: BucketView) => ({
  ...bucketQuery(view),
  ...(view.name && { name: toSearchParam(view.name) }),
});

export type BooleanFilter = 'true' | 'false';
const BOOLEANS = { true: true, false: false };
export type UserView = {
  email: string;
  active: BooleanFilter | undefined;
  verified: BooleanFilter | undefined;
  range: DayRange | null;
};
export const readUserView = (search: URLSearchParams): UserView => ({
  email: normalizeSearch(search.get('email') ?? ''),
  active: oneOf(BOOLEANS, search.get('active')),
  verified: oneOf(BOOLEANS, search.get('verified')),
  range: readZonedRange(search),
});
export const userQuery = ({ email, active, verified, range }: UserView) => ({
  ...(email && { email }),
  ...(active && { active }),
  ...(verified && { verified }),
  ...range,
});
export const userParams = (view: UserView) => ({
  ...userQuery(view),
  ...(view.email && { email: toSearchParam(view.email) }),
});

const ID = /^[0-9a-z]{26}$/;
export type LogView = {
  text: string;
  section: AuditSection | undefined;
  /** The id of the bucket, user or file that the entries are about. */
  subject: string | undefined;
  range: DayRange | null;
};
export const readLogView = (search: URLSearchParams): LogView => ({
  text: normalizeSearch(search.get('text') ?? ''),
  section: oneOf(AUDIT_SECTIONS, search.get('section')),
  subject: ID.test(search.get('subject') ?? '') ? (search.get('subject') as string) : undefined,
  range: readZonedRange(search),
});
export const logQuery = ({ text, section, subject, range }: LogView) => ({
  ...(text && { text }),
  ...(section && { section }),
  ...(subject && { subject }),
  ...range,
});
export const logParams = (view: LogView) => ({
  ...logQuery(view),
  ...(view.text && { text: toSearchParam(view.text) }),
});
