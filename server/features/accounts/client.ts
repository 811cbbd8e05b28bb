import Bowser from 'bowser';
import { DAY, SECOND } from '../../contract/limits.ts';
import { type KeyRing, macs } from '../../platform/secrets/secrets.ts';
import { clientAddress } from '../../web/http/client-address.ts';

/** What a request shows of its sender without a session. */
export type Client = {
  /** MAC of the browser's random cookie: a challenge belongs to the browser that opened it. */
  browser: string;
  /** The same by the previous secret, during a rotation. */
  previousBrowser?: string;
  /** Network address, for limits and for the list of sessions. */
  address: string;
  /** Its country (ISO 3166-1 alpha-2), where our own proxy tells it. */
  country: string | null;
  /** Browser and operating system, for the list of sessions. */
  device: string;
  /** Returns the cookie by which a user trusts the browser; null where there is none. */
  trustTokenOf: (userId: string) => string | null;
};

type Exchange = {
  request: Request;
  set: { headers: Record<string, unknown> };
  server: { requestIP(request: Request): { address: string } | null } | null;
};

/**
 * Returns a function that reads the client of a request, and sets the browser cookie where it is
 * missing.
 */
export function clientReader(options: {
  appUrl: string;
  browserKeys: KeyRing;
  trustedHops: number;
  countryHeader: string | null;
}) {
  const { appUrl, browserKeys, trustedHops, countryHeader } = options;
  return ({ request, set, server }: Exchange): Client => {
    const cookie = readCookie(request, cookieNames(appUrl).browser);
    const name = cookie ?? crypto.randomUUID();
    if (!cookie) set.headers['set-cookie'] = browserCookie(appUrl, name);
    const socketAddress = server?.requestIP(request)?.address ?? '';
    const [browser, previousBrowser] = macs(browserKeys, name);
    return {
      browser,
      ...(previousBrowser !== undefined && { previousBrowser }),
      address: clientAddress(request.headers, socketAddress, trustedHops),
      country: countryOf(countryHeader && request.headers.get(countryHeader)),
      device: deviceOf(request.headers.get('user-agent') ?? ''),
      trustTokenOf: (userId) => trustTokenOf(appUrl, request, userId),
    };
  };
}

/**
 * Returns a device as text, such as 'Firefox on Linux', without the parts that are not recognized.
 */
function deviceOf(userAgent: string): string {
  if (!userAgent) return 'Unknown device';
  const { browser, os } = Bowser.parse(userAgent.slice(0, 400));
  const parts = [browser.name, os.name].filter(Boolean);
  return parts.length > 0 ? parts.join(' on ') : 'Unknown device';
}

/** Returns a country of a header; null for none, and for Cloudflare's codes for unknown ones and Tor. */
const countryOf = (header: string | null): string | null =>
  header !== null && /^[A-Z]{2}$/.test(header) && header !== 'XX' ? header : null;

/** Returns the cookie by which a user trusts the browser of a request; null where it has none. */
export const trustTokenOf = (appUrl: string, request: Request, userId: string): string | null =>
  readCookie(request, cookieNames(appUrl).trust + userId);

/** Whether any user trusts the browser of a request, or has. */
export const hasTrustCookie = (appUrl: string, request: Request): boolean =>
  request.headers.get('cookie')?.includes(cookieNames(appUrl).trust) ?? false;

/**
 * Returns the names of the cookies. On https the `__Host-` prefix keeps other hosts of the domain
 * from setting them (RFC 6265bis).
 */
export function cookieNames(appUrl: string) {
  const prefix = appUrl.startsWith('https:') ? '__Host-' : '';
  return {
    session: `${prefix}wharf_session`,
    browser: `${prefix}wharf_browser`,
    /** The id of the user follows. */
    trust: `${prefix}wharf_trust_`,
  };
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

/** Returns the Set-Cookie header by which a user trusts the browser for `ttlMs`. */
export const trustCookie = (appUrl: string, userId: string, token: string, ttlMs: number) =>
  cookie(appUrl, cookieNames(appUrl).trust + userId, token, ttlMs);

/**
 * Returns the Set-Cookie header that names the browser. 400 days is the longest that browsers keep
 * a cookie (RFC 6265bis).
 */
const browserCookie = (appUrl: string, value: string) =>
  cookie(appUrl, cookieNames(appUrl).browser, value, 400 * DAY);
