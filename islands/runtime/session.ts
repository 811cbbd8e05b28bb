/** What a browser remembers of its session, in local storage under `auth`. */
export type Auth = {
  /** The bearer token. */
  access: string | null;
  userId: string | null;
  /** Seconds since the epoch; it stays when one logs out. */
  exp: number | null;
  email: string | null;
  isAuth: boolean;
};

export const AUTH_KEY = 'auth';
export const SIGNED_OUT: Auth = {
  access: null,
  userId: null,
  exp: null,
  email: null,
  isAuth: false,
};

const text = (value: unknown) => (typeof value === 'string' ? value : null);

/** Reads a stored state. Whatever is not one, a missing or forbidden storage too, is signed out. */
export function parseAuth(stored: string | null): Auth {
  try {
    const value: unknown = JSON.parse(stored ?? 'null');
    if (typeof value !== 'object' || value === null) return { ...SIGNED_OUT };
    const { access, userId, exp, email, isAuth } = value as Record<string, unknown>;
    return {
      access: text(access),
      userId: text(userId),
      exp: typeof exp === 'number' ? exp : null,
      email: text(email),
      isAuth: isAuth === true,
    };
  } catch {
    return { ...SIGNED_OUT };
  }
}

export function readAuth(): Auth {
  try {
    return parseAuth(localStorage.getItem(AUTH_KEY));
  } catch {
    return { ...SIGNED_OUT };
  }
}

export function writeAuth(auth: Auth) {
  try {
    localStorage.setItem(AUTH_KEY, JSON.stringify(auth));
  } catch {
    // Forbidden storage: the session lasts as long as the page.
  }
}

/** Logged out: everything but `exp` is cleared. */
export const withoutSession = (auth: Auth): Auth => ({ ...SIGNED_OUT, exp: auth.exp });

/** Whether the token has passed its time. `now` is epoch milliseconds. */
export const isExpired = (auth: Auth, now: number) => auth.exp !== null && auth.exp * 1000 <= now;

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
