import { DAY, SECOND } from '../../../contract/limits.ts';

/**
 * Returns the names of the cookies. On https the `__Host-` prefix keeps other hosts of the domain
 * from setting them (RFC 6265bis).
 */
export function cookieNames(appUrl: string) {
  const prefix = appUrl.startsWith('https:') ? '__Host-' : '';
  return { session: `${prefix}wharf_session`, browser: `${prefix}wharf_browser` };
}

/** Returns the value of a cookie; null where the request has none of the name. */
export function readCookie(request: Request, name: string): string | null {
  const header = request.headers.get('cookie');
  return header ? new Bun.CookieMap(header).get(name) : null;
}

const cookie = (appUrl: string, name: string, value: string, ttlMs: number) =>
  new Bun.Cookie(name, value, {
    httpOnly: true,
    sameSite: 'lax',
    path: '/',
    secure: appUrl.startsWith('https:'),
    maxAge: Math.floor(ttlMs / SECOND),
  }).toString();

/** Returns the Set-Cookie header that holds a session's token for `ttlMs`. */
export const sessionCookie = (appUrl: string, token: string, ttlMs: number) =>
  cookie(appUrl, cookieNames(appUrl).session, token, ttlMs);

/** Returns the Set-Cookie header that deletes the session cookie. */
export const clearedSessionCookie = (appUrl: string) =>
  cookie(appUrl, cookieNames(appUrl).session, '', 0);

/**
 * Returns the Set-Cookie header that names the browser. 400 days is the longest that browsers keep
 * a cookie (RFC 6265bis).
 */
export const browserCookie = (appUrl: string, value: string) =>
  cookie(appUrl, cookieNames(appUrl).browser, value, 400 * DAY);
