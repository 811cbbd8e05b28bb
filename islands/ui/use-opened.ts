import { navigate, useSearch } from 'wouter/use-browser-location';

/** The page's address with something open, or with nothing. */
function addressOf(name: string, id: string | null): string {
  const query = new URLSearchParams(location.search);
  if (id === null) query.delete(name);
  else query.set(name, id);
  return `${location.pathname}${query.size > 0 ? `?${query}` : ''}`;
}

/** Opens something by its id. */
export const openBy = (name: string, id: string) =>
  navigate(addressOf(name, id), { state: { opened: id } });

/**
 * What is open in a page's drawer: it stands in the address, so that it can be shared, survives a
 * reload, and Back closes it. The server knows none, as the drawer opens in the browser.
 * @param name of the parameter
 */
export function useOpened(name: string) {
  const id = new URLSearchParams(useSearch({ ssrSearch: '' })).get(name);
  return {
    id,
    /** Goes back where it was opened from here; otherwise there is nothing of ours to go back to. */
    close() {
      if (!new URLSearchParams(location.search).has(name)) return;
      if (history.state?.opened) history.back();
      else navigate(addressOf(name, null), { replace: true });
    },
  };
}
