import { readAuth, withoutSession, writeAuth } from './auth-storage.ts';

/**
 * Ends the session here and on the server, then leaves for `target`. It needs no library, so that
 * pages without islands can use it too.
 */
export async function endSession(target: string) {
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
