import { navigate, useSearch } from 'wouter/use-browser-location';

const NAME = 'file';

/** The page's address with a file open, or with none. */
function addressOf(fileId: string | null): string {
  const query = new URLSearchParams(location.search);
  if (fileId === null) query.delete(NAME);
  else query.set(NAME, fileId);
  return `${location.pathname}${query.size > 0 ? `?${query}` : ''}`;
}

/** Opens a file's details. */
export const openFile = ({ id }: { id: string }) =>
  navigate(addressOf(id), { state: { opened: id } });

/**
 * Which file's details are open: it stands in the address, so that it can be shared, survives a
 * reload, and Back closes it. The server knows none, as the drawer opens in the browser.
 */
export function useOpenFile() {
  const fileId = new URLSearchParams(useSearch({ ssrSearch: '' })).get(NAME);
  return {
    fileId,
    /** Goes back where it was opened from here; otherwise there is nothing of ours to go back to. */
    close() {
      if (!new URLSearchParams(location.search).has(NAME)) return;
      if (history.state?.opened) history.back();
      else navigate(addressOf(null), { replace: true });
    },
  };
}
