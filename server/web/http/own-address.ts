/** Returns the host of a URL, with its port. A name that ends in a dot is the same name (RFC 1034, 3.1). */
export const hostOf = (url: string): string => new URL(url).host.replace(/\.(?=:|$)/, '');

/** Returns the hosts that only deliver files. */
export function deliveryHosts(cdnUrls: string[], appUrl: string): Set<string> {
  const hosts = new Set(cdnUrls.map(hostOf));
  hosts.delete(hostOf(appUrl));
  return hosts;
}

/**
 * Whether pages of others may be shown at a URL: on a host that only delivers files, and shares no cookies with our
 * pages, as another port of the same name would.
 */
export const canServeSites = (cdnUrl: string, appUrl: string): boolean =>
  URL.canParse(cdnUrl) &&
  URL.canParse(appUrl) &&
  new URL(cdnUrl).hostname !== new URL(appUrl).hostname;

/** Whether a URL is at one of some hosts. */
export const isAtHost = (url: string, hosts: Set<string>): boolean =>
  hosts.has(hostOf(url).replace(/:443$/, ''));

/**
 * Whether an origin is that of our own pages. The site may be open by another name than the configured one,
 * such as the machine's IP address. A page of another site can't choose the Host of its requests.
 */
export function isOwnOrigin(origin: string, headers: Headers, appUrl: string): boolean {
  if (!URL.canParse(origin)) return false;
  const { protocol, origin: configured } = new URL(appUrl);
  return (
    (origin.startsWith(protocol) && hostOf(origin) === hostOf(configured)) ||
    origin.replace(/^https?:\/\//, '') === headers.get('host')
  );
}
