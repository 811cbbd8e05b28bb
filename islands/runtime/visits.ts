import type { Query, QueryKey } from '@tanstack/react-query';
import { client } from './hydration.ts';

/** What a page was like when another one was shown in its place. */
export type Visit = {
  /** Where the page and the boxes in it were scrolled to, in pixels. */
  top: number;
  boxes: number[];
  /** The lists of which more than the first page was loaded. */
  lists: { queryKey: QueryKey; state: Query['state'] }[];
};

/** A list may have hundreds of pages. */
const MAX_VISITS = 10;

/** The element attribute of a box that scrolls by itself. */
const BOXES = '[data-scroll-box]';

const visits = new Map<string, Visit>();

/** Remembers the page that is shown and about to be left, so that Back shows it where it was left. */
export function keepVisit(path: string) {
  visits.delete(path);
  const boxes = [...document.querySelectorAll(BOXES)].map(({ scrollTop }) => scrollTop);
  const lists = client
    .getQueryCache()
    .findAll({ type: 'active', predicate: hasSeveralPages })
    .map(({ queryKey, state }) => ({ queryKey, state }));
  visits.set(path, { top: scrollY, boxes, lists });
  const [oldest] = visits.keys();
  if (visits.size > MAX_VISITS && oldest !== undefined) visits.delete(oldest);
}

const hasSeveralPages = ({ state: { data } }: Query) =>
  ((data as { pages?: unknown[] } | undefined)?.pages?.length ?? 0) > 1;

/**
 * Puts back the lists of a page as they were, before its islands start. They are out of date, so that their visible
 * parts are loaded again. Returns what was remembered; null for a page that was not shown before.
 */
export function restoreLists(path: string): Visit | null {
  const visit = visits.get(path) ?? null;
  for (const { queryKey, state } of visit?.lists ?? []) {
    const old = { ...state, fetchStatus: 'idle' as const, dataUpdatedAt: 1, isInvalidated: true };
    client.getQueryCache().build(client, { queryKey }, old);
  }
  return visit;
}

/** Scrolls a page and the boxes in it to where they were, after its islands have started. */
export function restoreScrolling({ top, boxes }: Visit) {
  for (const [at, box] of document.querySelectorAll(BOXES).entries()) {
    box.scrollTop = boxes[at] ?? 0;
  }
  scrollTo(0, top);
}
