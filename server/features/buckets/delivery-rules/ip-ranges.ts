import ipaddr from 'ipaddr.js';

/** Ranges of addresses in the form that addresses are compared with. */
export type IpRanges = [ipaddr.IPv4 | ipaddr.IPv6, number][];

/**
 * Returns an address, or a range of addresses in CIDR notation (RFC 4632, RFC 4291), in one form; null for
 * anything else. A range of IPv4 addresses must be written as such, because clients are compared so.
 */
export function parseIpRange(text: string): string | null {
  const [typed = '', length, ...rest] = text.trim().split('/');
  if (rest.length > 0 || !isAddress(typed)) return null;
  const address = ipaddr.parse(typed);
  if (length === undefined) return ipaddr.process(typed).toString();
  const isMapped = address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress();
  if (isMapped || !/^\d{1,3}$/.test(length) || Number(length) > lengthOf(address)) return null;
  const kind = address instanceof ipaddr.IPv6 ? ipaddr.IPv6 : ipaddr.IPv4;
  return `${kind.networkAddressFromCIDR(`${typed}/${length}`)}/${Number(length)}`;
}

/** Returns ranges that `parseIpRange` has returned, in the form that addresses are compared with. */
export const toIpRanges = (ranges: string[]): IpRanges =>
  ranges.map((range) => {
    if (range.includes('/')) return ipaddr.parseCIDR(range);
    const address = ipaddr.parse(range);
    return [address, lengthOf(address)];
  });

/** Whether an address is in one of the ranges. Text that is no address is in none. */
export function isInRanges(text: string, ranges: IpRanges): boolean {
  if (ranges.length === 0 || !ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  return ranges.some(
    ([network, bits]) => network.kind() === address.kind() && address.match(network, bits),
  );
}

/** ipaddr.js also takes '127.1', octal parts, and a zone, which no range can mean. */
const isAddress = (text: string): boolean =>
  ipaddr.IPv4.isValidFourPartDecimal(text) || (ipaddr.IPv6.isValid(text) && !text.includes('%'));

/** How many bits an address has. */
const lengthOf = (address: ipaddr.IPv4 | ipaddr.IPv6): number =>
  address.kind() === 'ipv4' ? 32 : 128;
