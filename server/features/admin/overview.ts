import { ADMIN_CHART_DEFAULTS, CHART_UNITS } from '../../contract/charts.ts';
import { DAY } from '../../contract/limits.ts';
import { toUsd } from '../../contract/money.ts';
import type { AdminOverviewQuery, AdminOverviewWire } from '../../contract/wire.ts';
import type { Executor } from '../../platform/db/port.ts';
import { dayText, rangeOf, type TotalDay } from '../usage/service.ts';
import * as store from './store.ts';

type OverviewSources = {
  totalsSince: (day: number) => Promise<TotalDay[]>;
  outstanding: (stored: number) => Promise<AdminOverviewWire['credit']>;
};

/**
 * Returns daily values of the whole server and their sums. The disk value of a past day is the one
 * at its end, which is what is stored now less all later changes. Throws invalid.
 */
export async function overviewOf(
  db: Executor,
  { totalsSince, outstanding }: OverviewSources,
  query: AdminOverviewQuery,
  now: number,
): Promise<AdminOverviewWire> {
  const { from, to } = rangeOf(query, now);
  const type = query.chartType || ADMIN_CHART_DEFAULTS.chartType;
  const scale = CHART_UNITS[query.unit || ADMIN_CHART_DEFAULTS.unit];
  const totals = new Map((await totalsSince(from)).map((day) => [day.day, day]));
  const { usage: stored, files } = await store.holdings(db);
  const revenue = await store.revenueOf(db, from, to);
  const credit = await outstanding(stored);

  const since = [...totals.values()].filter(({ day }) => day > to);
  const usage = stored - since.reduce((sum, day) => sum + day.stored, 0);
  let level = usage;
  const stats = [];
  let [bandwidth, paid] = [0, 0];
  for (let day = to; day >= from; day -= DAY) {
    const total = totals.get(day);
    const values = {
      disk: level / scale,
      bandwidth: (total?.bandwidth ?? 0) / scale,
      revenue: toUsd(revenue.get(day) ?? 0),
    };
    stats.unshift({ date: dayText(day), data: values[type] });
    bandwidth += total?.bandwidth ?? 0;
    paid += revenue.get(day) ?? 0;
    level -= total?.stored ?? 0;
  }
  return { stats, usage, bandwidth, total_uploads: files, revenue: toUsd(paid), credit };
}
