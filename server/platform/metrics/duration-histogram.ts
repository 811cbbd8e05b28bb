import type { Metric } from 'prom-client';
import { BOUNDS, type Counts } from './counts.ts';

const MILLISECONDS = 1e3;

/**
 * The histogram of response times, as `counts` holds it. It stands in for the library's own, which
 * can't take values that were counted elsewhere.
 */
export function durationHistogram(counts: Counts): Metric {
  const name = 'wharf_http_request_duration_seconds';
  const valuesOf = () =>
    [...counts.routes.values()].flatMap(({ method, route, buckets, sum }) => {
      let seen = 0;
      const upTo = buckets.map((count, at) => {
        seen += count;
        const bound = BOUNDS[at];
        const le = bound === undefined ? '+Inf' : bound / MILLISECONDS;
        return { metricName: `${name}_bucket`, labels: { method, route, le }, value: seen };
      });
      const labels = { method, route };
      return [
        ...upTo,
        { metricName: `${name}_sum`, labels, value: sum / MILLISECONDS },
        { metricName: `${name}_count`, labels, value: seen },
      ];
    });
  const metric = {
    name,
    help: 'Time until the first byte of a response, in seconds.',
    type: 'histogram',
    get: async () => ({ ...metric, values: valuesOf(), aggregator: 'sum' }),
  };
  return metric as unknown as Metric;
}
