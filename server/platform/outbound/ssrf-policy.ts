import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Returns all addresses of a host name. Rejects where it has none. */
export type Resolve = (hostname: string) => Promise<string[]>;

/** A URL leads to an address that users must not reach through this server. */
export class AddressRefusedError extends Error {
  override name = 'AddressRefused';
}

/** A public address by its number, but in Azure it is the host's own service for its virtual machines. */
const HOST_SERVICES = ['168.63.129.16'];
/** 2000::/3 is everything that IANA has assigned as global unicast. */
const isGlobalUnicast = (part: number | undefined) => part !== undefined && part >> 13 === 1;

/**
 * Whether an address is on the public internet. It must not be private, loopback, link-local (which
 * metadata services use), shared (CGNAT), multicast or reserved, and not an IPv6 form of an IPv4 address,
 * such as a mapped, translated (NAT64) or tunnelled one.
 */
export function isPublicAddress(address: string): boolean {
  if (!isIP(address) || HOST_SERVICES.includes(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed instanceof ipaddr.IPv4 || isGlobalUnicast(parsed.parts[0]);
}

/** Metadata services of clouds are at such an address, and nothing that anybody would call or copy files from. */
const isLinkLocal = (address: string) =>
  isIP(address) !== 0 && ipaddr.process(address).range() === 'linkLocal';

/** Resolves a host name as the system does, IPv4 addresses first. */
export const systemResolve: Resolve = async (hostname) => {
  const addresses = await lookup(hostname, { all: true });
  return addresses.sort((a, b) => a.family - b.family).map(({ address }) => address);
};

/**
 * Returns the addresses that a connection to `url` can use. One refused address refuses them all, because a
 * name that mixes both is an attack or a mistake. The connection must use these addresses and not resolve
 * the name again. Throws AddressRefusedError, and what `resolve` throws.
 */
export async function checkedAddresses(
  url: URL,
  { allowPrivate, resolve }: { allowPrivate: boolean; resolve: Resolve },
): Promise<string[]> {
  const hostname = url.hostname.replace(/^\[|\]$/g, '');
  const addresses = isIP(hostname) ? [hostname] : await resolve(hostname);
  if (addresses.length === 0) throw new AddressRefusedError('The host has no address.');
  const isAllowed = (address: string) =>
    allowPrivate ? !isLinkLocal(address) : isPublicAddress(address);
  if (!addresses.every(isAllowed)) {
    throw new AddressRefusedError('The host resolves to an address that is not public.');
  }
  return addresses;
}
