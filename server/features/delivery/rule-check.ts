import type { DeliveryRules } from '../../contract/delivery-limits.ts';
import { AppError, tooMany } from '../../errors.ts';
import type { Clock } from '../../platform/clock.ts';
import type { ConnectionServer } from '../../platform/tcp/connection.ts';
import { clientAddress, fullClientAddress } from '../../web/http/client-address.ts';
import {
  type Bucket,
  type IpRanges,
  isInRanges,
  parseRules,
  toIpRanges,
} from '../buckets/service.ts';
import { isReferrerAllowed, referrerRefused } from './referrer-rules.ts';
import { RequestRates } from './request-rates.ts';

/**
 * What is checked of each request for a file, also before a response from a cache. The file is null where it is not here
 * yet, or several are listed, as all such requests would count together.
 */
export type FileRules = { bucketId: string; fileId: string | null; rules: CheckedRules };
type CheckedRules = DeliveryRules & { allowed: IpRanges; denied: IpRanges };

/** By the row of a bucket, which a cache keeps, so that ranges aren't parsed for each request. */
const rulesOfRows = new WeakMap<object, CheckedRules>();

/** Returns what is checked for a file of a bucket; null where its owner demands nothing. */
export function toFileRules(
  bucket: Pick<Bucket, 'id' | 'delivery_rules'>,
  fileId: string | null,
): FileRules | null {
  if (bucket.delivery_rules === null) return null;
  let rules = rulesOfRows.get(bucket);
  if (!rules) {
    const parsed = parseRules(bucket.delivery_rules);
    const { allowed_ips, denied_ips } = parsed;
    rules = { ...parsed, allowed: toIpRanges(allowed_ips), denied: toIpRanges(denied_ips) };
    rulesOfRows.set(bucket, rules);
  }
  return { bucketId: bucket.id, fileId, rules };
}

/** Returns the hosts of this server's own pages, which may show everything. */
export const hostsOf = (urls: string[]): string[] =>
  urls.filter((url) => URL.canParse(url)).map((url) => new URL(url).hostname);

/**
 * Requires that a page which embeds a file of a bucket is of a site that its owner allows. The files are then
 * requested by the page of this server that the other one embeds. Throws referrer-refused.
 */
export function requireReferrer(
  { delivery_rules }: Pick<Bucket, 'delivery_rules'>,
  headers: Headers,
  ownHosts: string[],
): void {
  const { allowed_referrers: sites } = parseRules(delivery_rules);
  if (sites.length === 0) return;
  const isFramed = headers.get('sec-fetch-dest') === 'iframe' && !headers.has('referer');
  if (isFramed || !isReferrerAllowed(headers, [...sites, ...ownHosts])) throw referrerRefused();
}

/** Checks requests against the rules of the bucket's owner. */
export class RuleCheck {
  private readonly clients: RequestRates;
  private readonly files: RequestRates;
  /** The requests that are counted for their clients: one is checked twice whose file had to be fetched. */
  private readonly counted = new WeakSet<object>();

  /** @param options.ownHosts the hosts of this server's own pages, which may show everything */
  constructor(private readonly options: { clock: Clock; trustedHops: number; ownHosts: string[] }) {
    this.clients = new RequestRates(options.clock);
    this.files = new RequestRates(options.clock);
  }

  /** Counts a request, once however often it is checked. Throws ip-refused, referrer-refused, too-many. */
  require(
    request: Request,
    server: Pick<ConnectionServer, 'requestIP'> | undefined,
    rules: FileRules,
  ): void {
    const socketAddress = () => server?.requestIP(request)?.address ?? '';
    this.requireFor({ request, socketAddress }, rules);
  }

  /** Returns the address by which limits count the client of a request. */
  addressOf(request: Request, server: Pick<ConnectionServer, 'requestIP'> | undefined): string {
    return this.addressFor(request.headers, server?.requestIP(request)?.address ?? '');
  }

  /** Does the same for a request that another server has received. */
  addressFor(headers: Headers, socketAddress: string): string {
    return clientAddress(headers, socketAddress, this.options.trustedHops);
  }

  /** Checks a request that another server has received, as `require` does. */
  requireFor(
    { request, socketAddress }: { request: { headers: Headers }; socketAddress: () => string },
    { bucketId, fileId, rules }: FileRules,
  ): void {
    const { trustedHops, ownHosts } = this.options;
    const { headers } = request;
    const { allowed_referrers: sites, requests_per_client, requests_per_file } = rules;
    const { allowed, denied } = rules;
    const addressBy = (find: typeof clientAddress) => find(headers, socketAddress(), trustedHops);
    if (allowed.length > 0 || denied.length > 0) {
      const address = addressBy(fullClientAddress);
      const isAllowed = allowed.length === 0 || isInRanges(address, allowed);
      if (!isAllowed || isInRanges(address, denied)) throw ipRefused();
    }
    if (sites.length > 0 && !isReferrerAllowed(headers, [...sites, ...ownHosts])) {
      throw referrerRefused();
    }
    if (requests_per_client !== null && !this.counted.has(request)) {
      this.counted.add(request);
      const address = addressBy(clientAddress);
      const wait = this.clients.take(`${bucketId} ${address}`, requests_per_client);
      if (wait > 0) throw tooMany('Too many requests for files of this bucket.', wait);
    }
    if (requests_per_file === null || fileId === null) return;
    const wait = this.files.take(fileId, requests_per_file);
    if (wait > 0) throw tooMany('This file is requested too often.', wait);
  }
}

const ipRefused = () =>
  new AppError(403, 'ip-refused', "This file can't be opened from your IP address.");

/**
 * Lets only scripts of the origins that a bucket names read a response. All may where it names none. A
 * preflight is answered without the bucket, since it decides nothing that the response does not.
 */
export function restrictOrigins(
  response: Response,
  request: Request,
  { cors_origins }: DeliveryRules,
): Response {
  if (cors_origins.length === 0) return response;
  const { headers } = response;
  headers.append('vary', 'Origin');
  const origin = request.headers.get('origin');
  if (origin !== null && cors_origins.includes(origin)) {
    headers.set('access-control-allow-origin', origin);
  } else {
    headers.delete('access-control-allow-origin');
    headers.delete('timing-allow-origin');
  }
  return response;
}
