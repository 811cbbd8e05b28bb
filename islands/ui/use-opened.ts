import { navigate, useSearch } from 'wouter/use-browser-location';

/** Returns the page's URL with an id in the parameter `name`, or without the parameter. */
function urlWith(name: string, id: string | null): string {
  const query = new URLSearchParams(location.search);
  if (id === null) query.delete(name);
  else query.set(name, id);
  return `${location.pathname}${query.size > 0 ? `?${query}` : ''}`;
}

/** Opens a drawer by putting an id into the page's URL. */
export const openBy = (name: string, id: string) =>
  navigate(urlWith(name, id), { state: { opened: id } });

/**
 * Returns what is open in the page's drawer. The id is in the URL, so that it can be shared, survives
 * a reload, and Back closes the drawer. On the server nothing is open.
 * @param name the URL parameter
 */
export function useOpenItem(name: string) {
  const id = new URLSearchParams(useSearch({ ssrSearch: '' })).get(name);
  return {
    id,
    /** Goes back if the drawer was opened on this page. Otherwise Back would leave the page. */
    close() {
      if (!new URLSearchParams(location.search).has(name)) return;
      if (history.state?.opened) history.back();
      else navigate(urlWith(name, null), { replace: true });
    },
  };
}
