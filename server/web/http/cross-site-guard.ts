import { forbidden } from '../../errors.ts';

const READS = ['GET', 'HEAD', 'OPTIONS'];

/**
 * Refuses what a page of another site had a browser send, a form for example. It could authorise
 * nothing, as bearer tokens do that, but its answer would put cookies in the place of ours: log the
 * browser out, and make it a stranger to its own account. Neighbours on the same domain are other
 * sites too. Programs send neither header (Fetch Metadata; RFC 6454 section 7) and pass.
 */
export function rejectCrossSiteRequests({ method, headers }: Request, appUrl: string): void {
  if (READS.includes(method)) return;
  const site = headers.get('sec-fetch-site');
  const isOurs = site ? ['same-origin', 'none'].includes(site) : comesFromUs(headers, appUrl);
  if (!isOurs) throw forbidden("This call is only accepted from this site's own pages.");
}

/** Browsers name the origin in any case; the site only where nobody on the way can change it. */
function comesFromUs(headers: Headers, appUrl: string): boolean {
  const origin = headers.get('origin');
  if (origin === null || origin === new URL(appUrl).origin) return true;
  // Opened by another name than the configured one, such as the address of the machine.
  return origin.replace(/^https?:\/\//, '') === headers.get('host');
}
