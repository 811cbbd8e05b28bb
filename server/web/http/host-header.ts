import { isIPv6 } from 'node:net';
import { type AppError, badRequest } from '../../errors.ts';

/**
 * A name or an address, and a port. Names in URLs can contain more, which nobody's does: without the comma
 * no two headers, which Bun joins by it, look like one.
 */
const HOST = /^(?:[\w.~-]+|\[([\da-f:.]+)\])(?::\d{0,5})?$/i;

/** The host that was valid last, because nearly all requests of a server name the same. */
let lastValidHost: string | null = null;

/**
 * Whether a request has one Host header that is valid. "A server MUST respond with a 400 (Bad Request)" to
 * others (RFC 9112, 3.2), because a proxy in front of us may have chosen another host than we would. One of
 * HTTP/1.0 needs none; Bun refuses a later one without any.
 */
export function hasValidHost({ headers }: Request): boolean {
  const host = headers.get('host');
  if (host === null || host === lastValidHost) return true;
  const [isHost, address] = HOST.exec(host) ?? [];
  const isValid = isHost !== undefined && (address === undefined || isIPv6(address));
  if (isValid) lastValidHost = host;
  return isValid;
}

export const invalidHost = (): AppError => badRequest('The Host header is missing or not valid.');
