import http from 'node:http';
import https from 'node:https';
import { isIP } from 'node:net';

/** Nothing has been sent when a connection fails with one of these. */
const NOT_CONNECTED = ['ECONNREFUSED', 'ENETUNREACH', 'EHOSTUNREACH', 'EADDRNOTAVAIL'];

/** Makes a request to the first of these addresses that accepts a connection. Throws what the last attempt does. */
export async function tryAddresses<Result>(
  addresses: string[],
  attempt: (address: string) => Promise<Result>,
): Promise<Result> {
  for (const [index, address] of addresses.entries()) {
    try {
      return await attempt(address);
    } catch (error) {
      const next = NOT_CONNECTED.includes((error as NodeJS.ErrnoException).code ?? '');
      if (!next || index === addresses.length - 1) throw error;
    }
  }
  throw new Error('no address');
}

/**
 * Begins a request to `address`, whatever the host name of `url` resolves to by now; the Host header and the
 * certificate use the name. `fetch` is no alternative: it obeys HTTP_PROXY and decompresses responses.
 * @param options.ca certificates in PEM to trust instead of the system's
 * @param options.target the path and query, if not those of the URL
 */
export function requestTo(
  address: string,
  url: URL,
  {
    headers,
    ca,
    target = `${url.pathname}${url.search}`,
    ...options
  }: {
    method: string;
    headers: Record<string, string>;
    signal: AbortSignal;
    ca?: string;
    target?: string;
  },
): http.ClientRequest {
  const isSecure = url.protocol === 'https:';
  return (isSecure ? https : http).request({
    ...options,
    host: address,
    port: url.port || (isSecure ? 443 : 80),
    path: target,
    headers: { host: url.host, ...headers },
    agent: false,
    ...(isSecure && {
      ca,
      ...(!isIP(url.hostname.replace(/[[\]]/g, '')) && { servername: url.hostname }),
    }),
  });
}
