import { useState } from 'react';
import { navigate, useSearch } from 'wouter/use-browser-location';

/** Returns the page's URL with an id in the parameter `name`, or without the parameter. */
function urlWith(name: string, id: string | null): string {
  const query = new URLSearchParams(location.search);
  if (id === null) query.delete(name);
  else query.set(name, id);
  return `${location.pathname}${query.size > 0 ? `?${query}` : ''}`;
}

/**
 * Whether the browser is asked to go back, which it does later. Until then it would go back from whatever
 * this page adds to the history.
 */
let isGoingBack = false;

/** Goes back, and calls `done` when the browser has done so. */
function goBack(done: () => void) {
  isGoingBack = true;
  const listeners = new AbortController();
  const finish = () => {
    listeners.abort();
    isGoingBack = false;
    done();
  };
  addEventListener('popstate', finish, { signal: listeners.signal });
  // A link may lead to another page first, whose Back shows this one as it was left.
  const show = ({ persisted }: PageTransitionEvent) => persisted && finish();
  addEventListener('pageshow', show, { signal: listeners.signal });
  history.back();
}

/** Opens a drawer by putting an id into the page's URL. */
export function openBy(name: string, id: string) {
  if (isGoingBack) addEventListener('popstate', () => openBy(name, id), { once: true });
  else navigate(urlWith(name, id), { state: { opened: id } });
}

/** What opens the items before and after the open one; null where there is none. */
export type Neighbours = { previous: (() => void) | null; next: (() => void) | null };

/** Returns how to open the neighbours of the item that is open, each in its place in the history. */
function neighboursOf(name: string, id: string | null, ids: string[]): Neighbours {
  const at = id === null ? -1 : ids.indexOf(id);
  const open = (other: string | undefined) =>
    at < 0 || other === undefined
      ? null
      : () => navigate(urlWith(name, other), { replace: true, state: history.state });
  return { previous: open(ids[at - 1]), next: open(ids[at + 1]) };
}

/**
 * Returns what is open in the page's drawer. The id is in the URL, so that it can be shared, survives
 * a reload, and Back closes the drawer. On the server nothing is open.
 * @param name the URL parameter
 */
export function useOpenItem(name: string) {
  const id = new URLSearchParams(useSearch({ ssrSearch: '' })).get(name);
  const [isClosing, setIsClosing] = useState(false);
  return {
    id: isClosing ? null : id,
    /** Returns its neighbours among the ids of a list, as far as that is loaded. */
    neighboursIn: (ids: string[]) => neighboursOf(name, id, ids),
    /** Goes back if the drawer was opened on this page. Otherwise Back would leave the page. */
    close() {
      if (isGoingBack || !new URLSearchParams(location.search).has(name)) return;
      if (!history.state?.opened) return navigate(urlWith(name, null), { replace: true });
      // The drawer closes at once, so that the page takes the next click or key.
      setIsClosing(true);
      goBack(() => setIsClosing(false));
    },
  };
}

export type OpenItem = ReturnType<typeof useOpenItem>;
