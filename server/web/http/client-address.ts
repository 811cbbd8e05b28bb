import { isIP } from 'node:net';

/**
 * Returns the address by which limits count a client. `hops` is the number of our own proxies. Each
 * appends the address that it sees to X-Forwarded-For, so the client's is the `hops`-th from the
 * right, and the part to the left of it, which a client can forge, is ignored. With 0 hops the
 * address of the socket counts.
 */
export const clientAddress = (headers: Headers, socketAddress: string, hops: number): string =>
  network(fullClientAddress(headers, socketAddress, hops));

/** Returns the same address in full, by which ranges of addresses are checked. */
export function fullClientAddress(headers: Headers, socketAddress: string, hops: number): string {
  if (hops === 0) return socketAddress;
  const forwarded = (headers.get('x-forwarded-for') ?? '').split(',').map((one) => one.trim());
  const forwardedAddress = forwarded.at(-hops) ?? '';
  return isIP(forwardedAddress) ? forwardedAddress : socketAddress;
}

/**
 * Whether limits see all clients as one, the proxy. Wharf serves no TLS itself, so a proxy is in
 * front of an https URL.
 */
export const isProxyUntrusted = (appUrl: string, hops: number): boolean =>
  hops === 0 && appUrl.startsWith('https:');

/**
 * Returns the /64 network of an IPv6 address, because a client can use a new address of it for each
 * attempt.
 */
function network(address: string): string {
  const ipv4OrIpv6 = address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '');
  if (isIP(ipv4OrIpv6) !== 6) return ipv4OrIpv6;
  const [head = '', tail] = ipv4OrIpv6.toLowerCase().split('::');
  const groupsBefore = head ? head.split(':') : [];
  const right = tail ? tail.split(':') : [];
  const zeros = tail === undefined ? [] : Array(8 - groupsBefore.length - right.length).fill('0');
  const groups = [...groupsBefore, ...zeros, ...right]
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''));
  return `${groups.join(':')}::/64`;
}
