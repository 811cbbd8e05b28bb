import { SECOND } from '../../contract/limits.ts';
import type { ObjectStore } from '../storage/port.ts';

/** Upper ends of the histogram of answer times, in milliseconds. */
export const BOUNDS = [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 10_000];

/** What was answered on one route: `buckets` has one more than there are bounds, for what is slower. */
type RouteCounts = {
  method: string;
  /** The pattern, never a path: so there are only so many. */
  route: string;
  byStatus: Map<number, number>;
  buckets: number[];
  /** Milliseconds. */
  sum: number;
};

/** Requests that no route answers, and methods that nobody uses, are one each. */
const NO_ROUTE = 'none';
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

export type Counts = ReturnType<typeof createCounts>;

/**
 * What the server counts of itself: plain numbers, as files are delivered faster than a library of
 * metrics counts. They become one when somebody asks (exposition.ts).
 */
export function createCounts() {
  const routes = new Map<string, RouteCounts>();

  /** The counts of a route, to be kept by who adds to them often. */
  const routeOf = (method: string, route: string | undefined): RouteCounts => {
    const known = METHODS.includes(method) ? method : 'other';
    const pattern = route || NO_ROUTE;
    const key = `${known} ${pattern}`;
    const found = routes.get(key);
    if (found) return found;
    const made = {
      method: known,
      route: pattern,
      byStatus: new Map<number, number>(),
      buckets: new Array<number>(BOUNDS.length + 1).fill(0),
      sum: 0,
    };
    routes.set(key, made);
    return made;
  };

  const counts = {
    routes,
    routeOf,
    /** Bytes of uploads that were stored, and bytes of files that were sent. */
    bytesIn: 0,
    bytesOut: 0,
    /** Deliveries that waited for nothing, and those that did. */
    cacheHits: 0,
    cacheMisses: 0,
    /** Seconds of work in the media process, and how often, by kind of job. */
    encoding: new Map<string, { seconds: number; jobs: number }>(),

    encoded(kind: string, ms: number) {
      const { seconds, jobs } = counts.encoding.get(kind) ?? { seconds: 0, jobs: 0 };
      counts.encoding.set(kind, { seconds: seconds + ms / SECOND, jobs: jobs + 1 });
    },
  };
  return counts;
}

/** Counts one answer. */
export function countAnswer(counts: RouteCounts, status: number, ms: number): void {
  counts.byStatus.set(status, (counts.byStatus.get(status) ?? 0) + 1);
  counts.sum += ms;
  let at = 0;
  while (at < BOUNDS.length && ms > (BOUNDS[at] as number)) at += 1;
  counts.buckets[at] = (counts.buckets[at] as number) + 1;
}

/** The same store; what uploads put into it is counted. */
export const instrumentStore = (store: ObjectStore, counts: Counts): ObjectStore => ({
  ...store,
  async put(...put) {
    const stored = await store.put(...put);
    counts.bytesIn += stored.size;
    return stored;
  },
});
