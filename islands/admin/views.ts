import {
  ADMIN_BUCKET_SORTS,
  ADMIN_USER_SORTS,
  type AdminBucketSort,
  type AdminUserSort,
} from '../../server/contract/admin/list-orders.ts';
import { AUDIT_SECTIONS, type AuditSection } from '../../server/contract/audit.ts';
import {
  ADMIN_CHART_DEFAULTS,
  ADMIN_CHART_TYPES,
  type AdminChartType,
  CHART_UNITS,
  type ChartUnit,
} from '../../server/contract/charts.ts';
import { SORT_ORDERS, type SortOrder } from '../../server/contract/files/file-order.ts';
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

/** Reads how a list is sorted. An order stands beside what it is the order of. */
function readSorting<Sort extends string>(sorts: readonly Sort[], search: URLSearchParams) {
  const sort = sorts.find((one) => one === search.get('sort'));
  return { sort, order: sort && SORT_ORDERS.find((one) => one === search.get('order')) };
}
const sortingQuery = <Sort>({ sort, order }: { sort?: Sort; order?: SortOrder | undefined }) => ({
  ...(sort && { sort }),
  ...(sort && order && { order }),
});

const ID = /^[0-9a-z]{26}$/;
const idIn = (search: URLSearchParams, name: string) =>
  ID.test(search.get(name) ?? '') ? (search.get(name) as string) : undefined;

export type BucketView = {
  name: string;
  /** The id of the account whose buckets are listed. */
  owner: string | undefined;
  range: DayRange | null;
  sort: AdminBucketSort | undefined;
  order: SortOrder | undefined;
};
export const readBucketView = (search: URLSearchParams): BucketView => ({
  name: normalizeSearch(search.get('name') ?? ''),
  owner: idIn(search, 'owner'),
  range: readZonedRange(search),
  ...readSorting(ADMIN_BUCKET_SORTS, search),
});
export const bucketQuery = ({ name, owner, range, ...sorting }: BucketView) => ({
  ...(name && { name }),
  ...(owner && { owner }),
  ...range,
  ...sortingQuery(sorting),
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
  sort: AdminUserSort | undefined;
  order: SortOrder | undefined;
};
export const readUserView = (search: URLSearchParams): UserView => ({
  email: normalizeSearch(search.get('email') ?? ''),
  active: oneOf(BOOLEANS, search.get('active')),
  verified: oneOf(BOOLEANS, search.get('verified')),
  range: readZonedRange(search),
  ...readSorting(ADMIN_USER_SORTS, search),
});
export const userQuery = ({ email, active, verified, range, ...sorting }: UserView) => ({
  ...(email && { email }),
  ...(active && { active }),
  ...(verified && { verified }),
  ...range,
  ...sortingQuery(sorting),
});
export const userParams = (view: UserView) => ({
  ...userQuery(view),
  ...(view.email && { email: toSearchParam(view.email) }),
});

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
  subject: idIn(search, 'subject'),
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
