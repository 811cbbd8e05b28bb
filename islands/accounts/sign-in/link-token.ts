/**
 * The token of the link that led here. It is taken out of the address at once: it must not stay in
 * the history, nor be seen over a shoulder.
 */
function takeLinkToken(): string | null {
  const token = new URLSearchParams(location.search).get('token');
  if (token !== null) history.replaceState(null, '', location.pathname);
  return token;
}

/** Taken once, whatever is rendered twice. The server does not read it from the address. */
export const linkToken = typeof location === 'undefined' ? null : takeLinkToken();
