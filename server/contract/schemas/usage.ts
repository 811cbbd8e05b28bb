import { t } from 'elysia';
import { CHART_TYPES } from '../charts.ts';
import { day, unit } from './list-query.ts';
import { namesOf, oneOf } from './one-of.ts';

/** Empty parameters count as unset. */
export const ChartQuery = t.Object({
  from: day('from'),
  to: day('to'),
  chartType: t.Optional(
    oneOf([...namesOf(CHART_TYPES), ''], {
      error: 'chartType must be disk-all, disk-active or bandwidth.',
    }),
  ),
  unit,
});

/** Daily values in UTC, yyyy-MM-dd, in the unit asked for. */
export const DailyValues = t.Array(t.Object({ date: t.String(), data: t.Number() }));

export const ChartAnswer = t.Object({ usage: t.Number(), stats: DailyValues });
