/** Returns the host of a URL, with its port. A name that ends in a dot is the same name (RFC 1034, 3.1). */
export const hostOf = (url: string): string => new URL(url).host.replace(/\.(?=:|$)/, '');

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
