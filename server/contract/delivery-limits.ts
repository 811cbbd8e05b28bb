/** The shares of a bandwidth limit, in per cent, at which the owner gets an email. */
export const BANDWIDTH_NOTICES = [50, 80, 100];

/** Returns when the UTC day of a moment ends, both in epoch milliseconds. */
export function endOfDay(at: number): number {
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate() + 1);
}

/** Returns when the UTC month of a moment ends, both in epoch milliseconds. */
export function endOfMonth(at: number): number {
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1);
}

/** How many sites a bucket can allow. */
export const MAX_REFERRERS = 50;
/** How many IP ranges a bucket can allow, and how many it can deny. */
export const MAX_IP_RANGES = 50;
/** How many origins a bucket can name. */
export const MAX_CORS_ORIGINS = 50;
/** The most requests per minute that a limit can be. */
export const MAX_REQUESTS_PER_MINUTE = 1_000_000;
/** The longest time in seconds for which caches may keep a file at a path: a year. */
export const MAX_PATH_AGE = 31_536_000;

/** What an owner demands of requests for the files of a bucket, and says of their responses. */
export type DeliveryRules = {
  /** The hosts whose pages may show the files, `*.` for those below one; empty for all sites. */
  allowed_referrers: string[];
  /** The origins whose scripts may read the files, such as `https://example.com`; empty for all. */
  cors_origins: string[];
  /** The ranges of IP addresses (CIDR) that may open the files; empty for all. */
  allowed_ips: string[];
  /** The ranges that may not, also where they are part of an allowed one. */
  denied_ips: string[];
  /** How many requests per minute a client may send; null for no limit. */
  requests_per_client: number | null;
  /** How many requests per minute a file gets an answer to; null for no limit. */
  requests_per_file: number | null;
  /** For how many seconds caches may keep a public file at a path. */
  path_max_age: number;
  /** Whether the bucket is a static site: folders have their `index.html`, and pages are shown. */
  static_site: boolean;
};

export const NO_DELIVERY_RULES: DeliveryRules = {
  allowed_referrers: [],
  cors_origins: [],
  allowed_ips: [],
  denied_ips: [],
  requests_per_client: null,
  requests_per_file: null,
  path_max_age: 60,
  static_site: false,
};

/** Returns a site as rules name it: a host in ASCII, or `*.` and a host; null for anything else. */
export function parseReferrer(text: string): string | null {
  const typed = text.trim();
  const prefix = typed.startsWith('*.') ? '*.' : '';
  const host = typed.slice(prefix.length);
  if (!/^[^\s/?#@:*\\[\]]+$/.test(host) || !URL.canParse(`https://${host}`)) return null;
  return `${prefix}${new URL(`https://${host}`).hostname}`;
}

/** Returns an origin as browsers send it, such as `https://example.com:8443`; null for anything else. */
export function parseOrigin(text: string): string | null {
  const typed = text.trim();
  if (!/^https?:\/\/[^\s/?#@*\\]+\/?$/i.test(typed) || !URL.canParse(typed)) return null;
  return new URL(typed).origin;
}
