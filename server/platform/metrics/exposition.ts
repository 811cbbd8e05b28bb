import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Counter, Gauge, type Metric, Registry } from 'prom-client';
import { BOUNDS, type Counts } from './counts.ts';

const MILLISECONDS = 1e3;

/** What is looked up for each scrape. */
type Sources = {
  /** Returns the current number of jobs. */
  jobs: () => Promise<JobCount[]>;
  /** Returns for how long the oldest change of usage waits to be folded, in milliseconds. */
  unfoldedMs: () => Promise<number>;
};

type JobCount = { state: string; kind: string; count: number };

const NANOSECONDS = 1e9;
const LOOP_RESOLUTION_MS = 5;

/**
 * Formats the counts in the text format of Prometheus (0.0.4). The event loop is monitored from the
 * construction on, so the first text contains no delays yet.
 */
export class MetricsExposition {
  private readonly registry = new Registry();
  private readonly loop = monitorEventLoopDelay({ resolution: LOOP_RESOLUTION_MS });

  constructor(counts: Counts, { jobs, unfoldedMs }: Sources) {
    this.loop.enable();
    registerRequests(this.registry, counts);
    this.registry.registerMetric(durationHistogram(counts));
    registerTotals(this.registry, counts);
    registerEncoding(this.registry, counts);
    registerJobs(this.registry, jobs);
    registerUnfolded(this.registry, unfoldedMs);
    registerLoopDelay(this.registry, this.loop);
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  text(): Promise<string> {
    return this.registry.metrics();
  }

  stop(): void {
    this.loop.disable();
  }
}

function registerRequests(registry: Registry, counts: Counts): void {
  new Counter({
    name: 'wharf_http_requests_total',
    help: 'Requests answered, by route and status.',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { method, route, byStatus } of counts.routes.values()) {
        for (const [status, count] of byStatus) this.inc({ method, route, status }, count);
      }
    },
  });
}

function registerTotals(registry: Registry, counts: Counts): void {
  const totals = {
    wharf_bytes_in_total: ['Bytes of completed uploads.', () => counts.bytesIn],
    wharf_bytes_out_total: ['Bytes delivered.', () => counts.bytesOut],
    wharf_cache_hits_total: ['Deliveries answered from the cache.', () => counts.cacheHits],
    wharf_cache_misses_total: ['Deliveries that were not in the cache.', () => counts.cacheMisses],
  } as const;
  for (const [name, [help, value]] of Object.entries(totals)) {
    new Counter({
      name,
      help,
      registers: [registry],
      collect() {
        this.reset();
        this.inc(value());
      },
    });
  }
}

function registerEncoding(registry: Registry, counts: Counts): void {
  for (const [name, help, part] of [
    ['wharf_encode_seconds_total', 'Seconds spent on tasks in the media process.', 'seconds'],
    ['wharf_encode_jobs_total', 'Tasks finished in the media process.', 'jobs'],
  ] as const) {
    new Counter({
      name,
      help,
      labelNames: ['kind'],
      registers: [registry],
      collect() {
        this.reset();
        for (const [kind, done] of counts.encoding) this.inc({ kind }, done[part]);
      },
    });
  }
}

function registerJobs(registry: Registry, jobs: () => Promise<JobCount[]>): void {
  new Gauge({
    name: 'wharf_jobs',
    help: 'Jobs by state: queued, running or failed.',
    labelNames: ['state', 'kind'],
    registers: [registry],
    async collect() {
      this.reset();
      for (const { state, kind, count } of await jobs()) this.set({ state, kind }, count);
    },
  });
}

function registerUnfolded(registry: Registry, unfoldedMs: () => Promise<number>): void {
  new Gauge({
    name: 'wharf_usage_unfolded_seconds',
    help: 'Age of the oldest change of usage that is not yet added up, in seconds.',
    registers: [registry],
    async collect() {
      this.set((await unfoldedMs()) / MILLISECONDS);
    },
  });
}

type LoopDelay = ReturnType<typeof monitorEventLoopDelay>;

function registerLoopDelay(registry: Registry, loop: LoopDelay): void {
  new Gauge({
    name: 'wharf_event_loop_delay_seconds',
    help: 'Event loop lag since the last scrape, in seconds.',
    labelNames: ['quantile'],
    registers: [registry],
    collect() {
      for (const [quantile, delay] of delaysOf(loop)) this.set({ quantile }, delay);
      loop.reset();
    },
  });
}

/** Returns quantiles of the delay beyond what a timer requested, in seconds. */
function delaysOf(loop: LoopDelay): [string, number][] {
  if (loop.count === 0) return [];
  const seconds = (percentile: number) => Math.max(0, loop.percentile(percentile)) / NANOSECONDS;
  return [
    ['0.5', seconds(50)],
    ['0.99', seconds(99)],
    ['1', Math.max(0, loop.max) / NANOSECONDS],
  ];
}

/**
 * Returns the histogram of response times. It replaces the library's own histogram, which can't take values
 * that were counted elsewhere.
 */
function durationHistogram(counts: Counts): Metric {
  const name = 'wharf_http_request_duration_seconds';
  const valuesOf = () =>
    [...counts.routes.values()].flatMap(({ method, route, buckets, sum }) => {
      let cumulative = 0;
      const upTo = buckets.map((count, at) => {
        cumulative += count;
        const bound = BOUNDS[at];
        const le = bound === undefined ? '+Inf' : bound / MILLISECONDS;
        return { metricName: `${name}_bucket`, labels: { method, route, le }, value: cumulative };
      });
      const labels = { method, route };
      return [
        ...upTo,
        { metricName: `${name}_sum`, labels, value: sum / MILLISECONDS },
        { metricName: `${name}_count`, labels, value: cumulative },
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
