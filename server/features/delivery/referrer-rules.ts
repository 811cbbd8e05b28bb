import { AppError } from '../../errors.ts';

/**
 * Whether a request comes from a page of one of these sites. Without a Referer it does, as apps and many
 * privacy settings send none, unless the browser says that a page of another site loads the file.
 * @param sites hosts, or `*.` and a host for all those below it
 */
export function isReferrerAllowed(headers: Headers, sites: string[]): boolean {
  const referrer = headers.get('referer');
  if (!referrer) {
    const isLoadedElsewhere = headers.get('sec-fetch-site') === 'cross-site';
    return !isLoadedElsewhere || headers.get('sec-fetch-mode') === 'navigate';
  }
  if (!URL.canParse(referrer)) return false;
  const host = new URL(referrer).hostname;
  return sites.some((site) =>
    site.startsWith('*.') ? host.endsWith(site.slice(1)) : host === site,
  );
}

export const referrerRefused = () =>
  new AppError(403, 'referrer-refused', "This file can't be shown on this site.");
