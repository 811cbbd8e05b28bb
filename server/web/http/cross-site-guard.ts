import { forbidden } from '../../errors.ts';
import { isOwnOrigin } from './own-address.ts';

const READS = ['GET', 'HEAD', 'OPTIONS'];

/**
 * Refuses requests that a page of another site makes a browser send, for example by a form. Such a
 * request has no bearer token, but its response could replace our cookies, which logs the user out
 * and makes the browser unknown. Other hosts of the same domain count as other sites. Programs send
 * neither of the two headers (Fetch Metadata; RFC 6454, section 7) and pass.
 */
export function rejectCrossSiteRequests({ method, headers }: Request, appUrl: string): void {
  if (READS.includes(method)) return;
  const site = headers.get('sec-fetch-site');
  const isOurs = site ? ['same-origin', 'none'].includes(site) : comesFromUs(headers, appUrl);
  if (!isOurs) throw forbidden("This call is only accepted from this site's own pages.");
}

/** Browsers always send Origin, but Sec-Fetch-Site only over HTTPS and to localhost. */
function comesFromUs(headers: Headers, appUrl: string): boolean {
  const origin = headers.get('origin');
  return origin === null || isOwnOrigin(origin, headers, appUrl);
}
