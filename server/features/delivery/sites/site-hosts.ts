import { canServeSites, deliveryHosts, isAtHost } from '../../../web/http/own-address.ts';

/** Returns the hosts on which static sites are served. */
export const siteHosts = (cdnUrls: string[], appUrl: string): Set<string> =>
  deliveryHosts(
    cdnUrls.filter((url) => canServeSites(url, appUrl)),
    appUrl,
  );

/** Whether a request came to a host of static sites: `/cdn/` is answered on every host. */
export const isSiteRequest = (url: string, hosts: Set<string>): boolean =>
  hosts.size > 0 && URL.canParse(url) && isAtHost(url, hosts);
