import { isIP } from 'node:net';

/**
 * The address that limits count for a client. `hops` is how many proxies of our own stand in
 * front: each appends the address it saw to X-Forwarded-For, so ours is the `hops`-th from the
 * right, and whatever a client wrote further left is never believed. With 0 only the socket counts.
 */
export function clientAddress(headers: Headers, socketAddress: string, hops: number): string {
  if (hops === 0) return network(socketAddress);
  const forwarded = (headers.get('x-forwarded-for') ?? '').split(',').map((one) => one.trim());
  const forwardedAddress = forwarded.at(-hops) ?? '';
  return network(isIP(forwardedAddress) ? forwardedAddress : socketAddress);
}

/** An IPv6 customer has a /64 at least, and could take a new address for each try. */
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
