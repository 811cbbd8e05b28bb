import Bowser from 'bowser';
import { mac } from '../../platform/secrets/secrets.ts';
import { clientAddress } from '../../web/http/client-address.ts';
import { browserCookie, cookieNames, readCookie } from './sessions/cookies.ts';

/** What a request shows of its sender without a session. */
export type Client = {
  /** MAC of the browser's random cookie: a challenge belongs to the browser that opened it. */
  browser: string;
  /** Network address, for limits and for the list of sessions. */
  address: string;
  /** Browser and operating system, for the list of sessions. */
  device: string;
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
  browserKey: Uint8Array;
  trustedHops: number;
}) {
  const { appUrl, browserKey, trustedHops } = options;
  return ({ request, set, server }: Exchange): Client => {
    const cookie = readCookie(request, cookieNames(appUrl).browser);
    const name = cookie ?? crypto.randomUUID();
    if (!cookie) set.headers['set-cookie'] = browserCookie(appUrl, name);
    const socketAddress = server?.requestIP(request)?.address ?? '';
    return {
      browser: mac(browserKey, name),
      address: clientAddress(request.headers, socketAddress, trustedHops),
      device: deviceOf(request.headers.get('user-agent') ?? ''),
    };
  };
}

/**
 * Returns a device as text, such as 'Firefox on Linux', without the parts that are not recognized.
 */
export function deviceOf(userAgent: string): string {
  if (!userAgent) return 'Unknown device';
  const { browser, os } = Bowser.parse(userAgent.slice(0, 400));
  const parts = [browser.name, os.name].filter(Boolean);
  return parts.length > 0 ? parts.join(' on ') : 'Unknown device';
}
