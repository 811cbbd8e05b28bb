import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** All addresses of a host name. Rejects where it has none. */
export type Resolve = (hostname: string) => Promise<string[]>;

/** Where a webhook leads is not for our users to reach through this server. */
export class AddressRefusedError extends Error {
  override name = 'AddressRefused';
}

/** Public by its number, but the cloud's own service for the machines in it (Azure). */
const HOST_SERVICES = ['168.63.129.16'];
/** 2000::/3, all that IANA has given out as global unicast. */
const isGlobalUnicast = (part: number | undefined) => part !== undefined && part >> 13 === 1;

/**
 * Whether an address is one of the open internet: not private, loopback, link-local (which metadata
 * services use), shared (CGNAT), multicast or reserved, and no IPv6 form that leads to an IPv4 one,
 * be it mapped, translated (NAT64) or tunnelled.
 */
export function isPublicAddress(address: string): boolean {
  if (!isIP(address) || HOST_SERVICES.includes(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed instanceof ipaddr.IPv4 || isGlobalUnicast(parsed.parts[0]);
}

/** What the system says of a name, IPv4 first. */
export const systemResolve: Resolve = async (hostname) => {
  const found = await lookup(hostname, { all: true });
  return found.sort((a, b) => a.family - b.family).map(({ address }) => address);
};

/**
 * The addresses a connection to `url` may be made to. One refused address refuses them all: a name
 * that mixes them is an attack or a mistake. The connection must use these addresses and not look the name
 * up again. Throws AddressRefused, and what `resolve` throws.
 */
export async function checkedAddresses(
  url: URL,
  { allowPrivate, resolve }: { allowPrivate: boolean; resolve: Resolve },
): Promise<string[]> {
  const hostname = url.hostname.replace(/^\[|\]$/g, '');
  const addresses = isIP(hostname) ? [hostname] : await resolve(hostname);
  if (addresses.length === 0) throw new AddressRefusedError('The host has no address.');
  if (!allowPrivate && !addresses.every(isPublicAddress)) {
    throw new AddressRefusedError('The host resolves to an address that is not public.');
  }
  return addresses;
}
