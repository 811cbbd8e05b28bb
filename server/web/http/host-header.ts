import { isIPv6 } from 'node:net';
import { type AppError, badRequest } from '../../errors.ts';

/**
 * A name or an address, and a port. Names in URLs can contain more, which nobody's does: without the comma
 * no two headers, which Bun joins by it, look like one.
 */
const HOST = /^(?:[\w.~-]+|\[([\da-f:.]+)\])(?::\d{0,5})?$/i;

/**
 * Whether a request has one Host header that is valid. "A server MUST respond with a 400 (Bad Request)" to
 * others (RFC 9112, 3.2), because a proxy in front of us may have chosen another host than we would. One of
 * HTTP/1.0 needs none; Bun refuses a later one without any.
 */
export function hasValidHost({ headers }: Request): boolean {
  const host = headers.get('host');
  if (host === null) return true;
  const [isHost, address] = HOST.exec(host) ?? [];
  return isHost !== undefined && (address === undefined || isIPv6(address));
}

export const invalidHost = (): AppError => badRequest('The Host header is missing or not valid.');
