import { proxy, subscribe, useSnapshot } from 'valtio';
import type { SessionWire } from '../../server/contract/wire.ts';
import { AUTH_KEY, type Auth, parseAuth, readAuth, withoutSession, writeAuth } from './session.ts';

const inBrowser = typeof window !== 'undefined';

/** The session of the signed-in user, shared by all islands and kept in local storage. */
export const auth = proxy<Auth>(inBrowser ? readAuth() : parseAuth(null));

/** Stores a new session. */
export function signIn({ token, userId, exp, email }: SessionWire) {
  Object.assign(auth, { access: token, userId, exp, email, isAuth: true } satisfies Auth);
}

export function setEmail(email: string) {
  auth.email = email;
}

export function logout() {
  Object.assign(auth, withoutSession(auth));
}

export const useAuth = () => useSnapshot(auth);

if (inBrowser) {
  subscribe(auth, () => writeAuth({ ...auth }), true);
  // Browsers dispatch `storage` only in the other tabs, which then have the new session too.
  window.addEventListener('storage', ({ key, newValue }) => {
    if (key === AUTH_KEY || key === null) Object.assign(auth, parseAuth(newValue));
  });
}
