import { t } from 'elysia';
import { day, unit } from '../../web/http/list-query.ts';

/** Empty parameters count as unset. */
export const ChartQuery = t.Object({
  from: day('from'),
  to: day('to'),
  chartType: t.Optional(
    t.Union(
      [t.Literal('disk-all'), t.Literal('disk-active'), t.Literal('bandwidth'), t.Literal('')],
      { error: 'chartType must be disk-all, disk-active or bandwidth.' },
    ),
  ),
  unit,
});

export const ChartAnswer = t.Object({
  usage: t.Number(),
  stats: t.Array(t.Object({ date: t.String(), data: t.Number() })),
});
