import { proxy, useSnapshot } from 'valtio';
import type { SessionWire } from '../../server/contract/wire.ts';
import { AUTH_KEY, type Auth, parseAuth, readAuth, withoutSession, writeAuth } from './session.ts';

const inBrowser = typeof window !== 'undefined';

/** The session of the signed-in user, shared by all islands and kept in local storage. */
export const auth = proxy<Auth>(inBrowser ? readAuth() : parseAuth(null));

/** Stores a new session. */
export function signIn({ token, userId, exp, email }: SessionWire) {
  change({ access: token, userId, exp, email, isAuth: true });
}

export function setEmail(email: string) {
  change({ email });
}

export function logout() {
  change(withoutSession(auth));
}

/** Writes a change once it is whole: other tabs follow each write, and half a session would start and end theirs. */
function change(changed: Partial<Auth>) {
  Object.assign(auth, changed);
  writeAuth({ ...auth });
}

export const useAuth = () => useSnapshot(auth);

if (inBrowser) {
  // Browsers dispatch `storage` only in the other tabs, which then have the new session too. They don't write it again.
  window.addEventListener('storage', ({ key, newValue }) => {
    if (key === AUTH_KEY || key === null) Object.assign(auth, parseAuth(newValue));
  });
}
