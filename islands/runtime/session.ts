import { readAuth, withoutSession, writeAuth } from './auth-storage.ts';

let ending = false;

/** Whether this tab is on its way out: what other tabs say of the session is no news to it. */
export const isSessionEnding = () => ending;

/**
 * Ends the session here and on the server, then leaves for `target`. It needs no library, so that
 * pages without islands can use it too.
 */
export async function endSession(target: string) {
  ending = true;
  const known = readAuth();
  writeAuth(withoutSession(known));
  // With no answer the token stays valid on the server until it expires; here it is forgotten.
  await fetch('/users/logout', {
    method: 'POST',
    keepalive: true,
    headers: known.access ? { authorization: `Bearer ${known.access}` } : {},
  }).catch(() => null);
  location.assign(target);
}
