import { isIP } from 'node:net';

/**
 * The address that limits count for a client. `hops` is how many proxies of our own stand in
 * front: each appends the address it saw to X-Forwarded-For, so ours is the `hops`-th from the
 * right, and whatever a client wrote further left is never believed. With 0 only the socket counts.
 */
export function clientAddress(headers: Headers, socketAddress: string, hops: number): string {
  if (hops === 0) return network(socketAddress);
  const forwarded = (headers.get('x-forwarded-for') ?? '').split(',').map((one) => one.trim());
  const told = forwarded.at(-hops) ?? '';
  return network(isIP(told) ? told : socketAddress);
}

/** An IPv6 customer has a /64 at least, and could take a new address for each try. */
function network(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '');
  if (isIP(plain) !== 6) return plain;
  const [head = '', tail] = plain.toLowerCase().split('::');
  const left = head ? head.split(':') : [];
  const right = tail ? tail.split(':') : [];
  const zeros = tail === undefined ? [] : Array(8 - left.length - right.length).fill('0');
  const groups = [...left, ...zeros, ...right]
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''));
  return `${groups.join(':')}::/64`;
}
