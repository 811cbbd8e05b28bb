import { useQuery } from '@tanstack/react-query';
import type { ChartWire } from '../../server/contract/wire.ts';
import { call } from '../runtime/api.ts';
import { type ChartView, paramsOf } from './view.ts';

/**
 * A bucket's chart.
 * @param first what the page was rendered with, and the view that it belongs to
 */
export function useChart(
  bucketId: string,
  view: ChartView,
  first: { chart: ChartWire | null; view: ChartView },
) {
  const query = paramsOf(view);
  const isFirst = JSON.stringify(query) === JSON.stringify(paramsOf(first.view));
  return useQuery({
    queryKey: ['chart', bucketId, query],
    queryFn: (): Promise<ChartWire> =>
      call('GET /buckets/chart/:bucketID', { params: { bucketID: bucketId }, query }),
    ...(isFirst && first.chart && { initialData: first.chart }),
  });
}
