/** The session as a browser keeps it, in local storage under `auth`. */
export type Auth = {
  /** The bearer token. */
  access: string | null;
  userId: string | null;
  /** Epoch seconds. A logout keeps it, as the specification says. */
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

/** Parses a stored session. A text that is missing or invalid means that nobody is signed in. */
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
    // If storage is forbidden, the session lasts as long as the page.
  }
}

/** Returns the state after a logout, which clears everything but `exp`. */
export const withoutSession = (auth: Auth): Auth => ({ ...SIGNED_OUT, exp: auth.exp });

/** Returns whether the token has expired. `now` is in epoch milliseconds. */
export const isExpired = (auth: Auth, now: number) => auth.exp !== null && auth.exp * 1000 <= now;

let ending = false;

/** Returns whether this tab is logging out. It then ignores what other tabs do to the session. */
export const isSessionEnding = () => ending;

/**
 * Ends the session in the browser and on the server, then opens `target`. It uses no library, so that
 * pages without islands can use it too.
 */
export async function endSession(target: string) {
  ending = true;
  const stored = readAuth();
  writeAuth(withoutSession(stored));
  // Without a response the token stays valid on the server until it expires, but the browser forgets it.
  await fetch('/users/logout', {
    method: 'POST',
    keepalive: true,
    headers: stored.access ? { authorization: `Bearer ${stored.access}` } : {},
  }).catch(() => null);
  location.assign(target);
}
