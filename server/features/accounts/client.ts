import Bowser from 'bowser';
import { mac } from '../../platform/secrets/mac.ts';
import { clientAddress } from '../../web/http/client-address.ts';
import { browserCookie, cookieNames, readCookie } from './sessions/cookies.ts';

/** Who calls, before anybody is logged in. */
export type Client = {
  /** MAC of the browser's random cookie: a challenge belongs to the browser that opened it. */
  browser: string;
  /** Network address, for limits and for the list of sessions. */
  address: string;
  /** Browser and system, for people. */
  device: string;
};

type Exchange = {
  request: Request;
  set: { headers: Record<string, unknown> };
  server: { requestIP(request: Request): { address: string } | null } | null;
};

/** Reads a client off a request, and names its browser where it has no name yet. */
export function clientReader(options: {
  appUrl: string;
  browserKey: Uint8Array;
  trustedHops: number;
}) {
  const { appUrl, browserKey, trustedHops } = options;
  return ({ request, set, server }: Exchange): Client => {
    const known = readCookie(request, cookieNames(appUrl).browser);
    const name = known ?? crypto.randomUUID();
    if (!known) set.headers['set-cookie'] = browserCookie(appUrl, name);
    const socketAddress = server?.requestIP(request)?.address ?? '';
    return {
      browser: mac(browserKey, name),
      address: clientAddress(request.headers, socketAddress, trustedHops),
      device: deviceOf(request.headers.get('user-agent') ?? ''),
    };
  };
}

/** 'Firefox on Linux'; whatever is not recognised is left out. */
export function deviceOf(userAgent: string): string {
  if (!userAgent) return 'Unknown device';
  const { browser, os } = Bowser.parse(userAgent.slice(0, 400));
  const parts = [browser.name, os.name].filter(Boolean);
  return parts.length > 0 ? parts.join(' on ') : 'Unknown device';
}
