import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Counter, Gauge, type Metric, Registry } from 'prom-client';
import { BOUNDS, type Counts } from './counts.ts';

export type JobCount = { state: string; kind: string; count: number };

const NANOSECONDS = 1e9;
const MILLISECONDS = 1e3;
/** How often the event loop is looked at, in milliseconds. */
const RESOLUTION = 20;

/**
 * What is counted, in the text that Prometheus reads (format 0.0.4). The loop is watched from here
 * on: the first answer tells of nothing yet.
 * @param jobs how many there are now
 */
export function createExposition(counts: Counts, jobs: () => Promise<JobCount[]>) {
  const registry = new Registry();
  const registers = [registry];
  const loop = monitorEventLoopDelay({ resolution: RESOLUTION });
  loop.enable();

  new Counter({
    name: 'wharf_http_requests_total',
    help: 'Requests answered.',
    labelNames: ['method', 'route', 'status'],
    registers,
    collect() {
      this.reset();
      for (const { method, route, byStatus } of counts.routes.values()) {
        for (const [status, count] of byStatus) this.inc({ method, route, status }, count);
      }
    },
  });
  registry.registerMetric(answerTimes(counts));
  const totals = {
    wharf_bytes_in_total: ['Bytes of uploads that were stored.', () => counts.bytesIn],
    wharf_bytes_out_total: ['Bytes of files that were sent.', () => counts.bytesOut],
    wharf_cache_hits_total: ['Deliveries answered from memory.', () => counts.cacheHits],
    wharf_cache_misses_total: ['Deliveries that had to look.', () => counts.cacheMisses],
  } as const;
  for (const [name, [help, value]] of Object.entries(totals)) {
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset();
        this.inc(value());
      },
    });
  }
  for (const [name, help, part] of [
    ['wharf_encode_seconds_total', 'Seconds of work in the media process.', 'seconds'],
    ['wharf_encode_jobs_total', 'Pieces of work in the media process.', 'jobs'],
  ] as const) {
    new Counter({
      name,
      help,
      labelNames: ['kind'],
      registers,
      collect() {
        this.reset();
        for (const [kind, done] of counts.encoding) this.inc({ kind }, done[part]);
      },
    });
  }
  new Gauge({
    name: 'wharf_jobs',
    help: 'Jobs that wait, run or have failed.',
    labelNames: ['state', 'kind'],
    registers,
    async collect() {
      this.reset();
      for (const { state, kind, count } of await jobs()) this.set({ state, kind }, count);
    },
  });
  new Gauge({
    name: 'wharf_event_loop_delay_seconds',
    help: 'How late the event loop was since the last look.',
    labelNames: ['quantile'],
    registers,
    collect() {
      for (const [quantile, late] of delays(loop)) this.set({ quantile }, late);
      loop.reset();
    },
  });

  return {
    contentType: registry.contentType,
    text: () => registry.metrics(),
    stop: () => void loop.disable(),
  };
}

/** Seconds beyond what was to be waited for. */
function delays(loop: ReturnType<typeof monitorEventLoopDelay>): [string, number][] {
  if (loop.count === 0) return [];
  const seconds = (at: number) => Math.max(0, loop.percentile(at)) / NANOSECONDS;
  return [
    ['0.5', seconds(50)],
    ['0.99', seconds(99)],
    ['1', Math.max(0, loop.max) / NANOSECONDS],
  ];
}

/** A histogram that was counted elsewhere: the library's own only counts by itself. */
function answerTimes(counts: Counts): Metric {
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
    help: 'How long answers took until they began to be sent.',
    type: 'histogram',
    get: async () => ({ ...metric, values: valuesOf(), aggregator: 'sum' }),
  };
  return metric as unknown as Metric;
}
