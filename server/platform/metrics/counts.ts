import { SECOND } from '../../contract/limits.ts';
import type { ObjectStore } from '../storage/port.ts';

/** Upper bounds of the histogram of response times, in milliseconds. */
export const BOUNDS = [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 10_000];

/** Counts of one route. `buckets` has one more element than there are bounds, for slower responses. */
type RouteCounts = {
  method: string;
  /** The pattern of the route and never a path, so that the number of routes is limited. */
  route: string;
  byStatus: Map<number, number>;
  buckets: number[];
  /** Sum of all response times in milliseconds. */
  sum: number;
};

/** All requests without a route are counted as one route, and all unusual methods as one method. */
const NO_ROUTE = 'none';
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

export type Counts = ReturnType<typeof createCounts>;

/**
 * Counts what the server does, as plain numbers: counting with a metrics library would slow delivery down.
 * They are converted when somebody requests the metrics (exposition.ts).
 */
export function createCounts() {
  const routes = new Map<string, RouteCounts>();

  /** Returns the counts of a route. A caller that adds to them often can keep them. */
  const routeOf = (method: string, route: string | undefined): RouteCounts => {
    const countedMethod = METHODS.includes(method) ? method : 'other';
    const pattern = route || NO_ROUTE;
    const key = `${countedMethod} ${pattern}`;
    const existing = routes.get(key);
    if (existing) return existing;
    const created = {
      method: countedMethod,
      route: pattern,
      byStatus: new Map<number, number>(),
      buckets: new Array<number>(BOUNDS.length + 1).fill(0),
      sum: 0,
    };
    routes.set(key, created);
    return created;
  };

  const counts = {
    routes,
    routeOf,
    /** Bytes of uploads that were stored, and of files that were sent. */
    bytesIn: 0,
    bytesOut: 0,
    /** Deliveries that were answered from the cache, and those that were not. */
    cacheHits: 0,
    cacheMisses: 0,
    /** Seconds of work in the media process and number of jobs, by kind of job. */
    encoding: new Map<string, { seconds: number; jobs: number }>(),

    encoded(kind: string, ms: number) {
      const { seconds, jobs } = counts.encoding.get(kind) ?? { seconds: 0, jobs: 0 };
      counts.encoding.set(kind, { seconds: seconds + ms / SECOND, jobs: jobs + 1 });
    },
  };
  return counts;
}

/** Counts one response. */
export function countResponse(counts: RouteCounts, status: number, ms: number): void {
  counts.byStatus.set(status, (counts.byStatus.get(status) ?? 0) + 1);
  counts.sum += ms;
  let at = 0;
  while (at < BOUNDS.length && ms > (BOUNDS[at] as number)) at += 1;
  counts.buckets[at] = (counts.buckets[at] as number) + 1;
}

/** Returns the store with its uploads counted. */
export const instrumentStore = (store: ObjectStore, counts: Counts): ObjectStore => ({
  ...store,
  async put(...put) {
    const stored = await store.put(...put);
    counts.bytesIn += stored.size;
    return stored;
  },
});
