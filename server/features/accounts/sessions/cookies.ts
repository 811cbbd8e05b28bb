import { DAY, SECOND } from '../../../contract/limits.ts';

/** On https the `__Host-` prefix keeps other hosts of the domain from setting them (RFC 6265bis). */
export function cookieNames(appUrl: string) {
  const prefix = appUrl.startsWith('https:') ? '__Host-' : '';
  return { session: `${prefix}wharf_session`, browser: `${prefix}wharf_browser` };
}

export function readCookie(request: Request, name: string): string | null {
  const header = request.headers.get('cookie');
  return header ? new Bun.CookieMap(header).get(name) : null;
}

const cookie = (appUrl: string, name: string, value: string, maxAge: number) =>
  new Bun.Cookie(name, value, {
    httpOnly: true,
    sameSite: 'lax',
    path: '/',
    secure: appUrl.startsWith('https:'),
    maxAge: Math.floor(maxAge / SECOND),
  }).toString();

export const sessionCookie = (appUrl: string, token: string, life: number) =>
  cookie(appUrl, cookieNames(appUrl).session, token, life);

export const clearedSessionCookie = (appUrl: string) =>
  cookie(appUrl, cookieNames(appUrl).session, '', 0);

/** Names the browser; 400 days is the longest that browsers keep a cookie (RFC 6265bis). */
export const browserCookie = (appUrl: string, value: string) =>
  cookie(appUrl, cookieNames(appUrl).browser, value, 400 * DAY);
