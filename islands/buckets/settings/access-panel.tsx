import {
  type DeliveryRules,
  MAX_CORS_ORIGINS,
  MAX_IP_RANGES,
  MAX_PATH_AGE,
  MAX_REFERRERS,
  MAX_REQUESTS_PER_MINUTE,
  parseOrigin,
  parseReferrer,
} from '../../../server/contract/delivery-limits.ts';
import type { BucketWire } from '../../../server/contract/wire.ts';
import { listOf, type RuleField, RulesForm } from './rules-form.tsx';
import { setDeliveryRules } from './settings-calls.ts';

const isIpRange = (entry: string) => /^[\da-f.:]+(\/\d{1,3})?$/i.test(entry);
const IP_RANGES = {
  ...listOf(MAX_IP_RANGES, isIpRange),
  invalid: `Enter up to ${MAX_IP_RANGES} addresses or ranges such as 203.0.113.7 or 2001:db8::/32, separated by commas.`,
};
const LIMIT = {
  inputMode: 'numeric',
  placeholder: 'No limit',
  invalid: 'Enter a whole number from 1 to 1,000,000, or leave the field empty.',
  toText: (limit: number | null) => String(limit ?? ''),
  parse: (text: string) =>
    text.trim() === '' ? null : parseNumber(text, 1, MAX_REQUESTS_PER_MINUTE),
} as const;

/** The rules that are texts; a static site is switched on in a panel of its own. */
type AccessRules = Omit<DeliveryRules, 'static_site'>;

const FIELDS: { [Name in keyof AccessRules]: RuleField<AccessRules[Name]> } = {
  allowed_referrers: {
    ...listOf(MAX_REFERRERS, (entry) => parseReferrer(entry) !== null),
    label: 'Allowed sites',
    placeholder: 'All sites',
    help: 'Separate sites with commas. *.example.com allows every site below example.com. Apps and direct links still work.',
    invalid: `Enter up to ${MAX_REFERRERS} sites such as example.com or *.example.com, separated by commas.`,
  },
  cors_origins: {
    ...listOf(MAX_CORS_ORIGINS, (entry) => parseOrigin(entry) !== null),
    label: 'Allowed origins (CORS)',
    placeholder: 'All origins',
    help: 'Origins whose scripts can read the files, such as https://example.com.',
    invalid: `Enter up to ${MAX_CORS_ORIGINS} origins such as https://example.com, separated by commas.`,
  },
  allowed_ips: {
    ...IP_RANGES,
    label: 'Allowed IP ranges',
    placeholder: 'All addresses',
    help: 'Only these addresses can open the files, such as 203.0.113.0/24.',
  },
  denied_ips: {
    ...IP_RANGES,
    label: 'Blocked IP ranges',
    placeholder: 'None',
    help: 'These addresses can’t open the files, even if they are in an allowed range.',
  },
  requests_per_client: {
    ...LIMIT,
    label: 'Requests per minute and client',
    help: 'Counted by IP address. A video player sends a request every few seconds.',
  },
  requests_per_file: {
    ...LIMIT,
    label: 'Requests per minute and file',
    help: 'From all clients together. All parts of a video count as one file.',
  },
  path_max_age: {
    inputMode: 'numeric',
    placeholder: '',
    toText: String,
    parse: (text) => parseNumber(text, 0, MAX_PATH_AGE),
    label: 'Cache time of paths, seconds',
    help: 'How long browsers and CDNs keep a public file by its path. With 0, they check for a new version each time.',
    invalid: 'Enter a whole number from 0 to 31,536,000, which is a year.',
  },
};

/** Sets who may open the bucket's files, how often, and how long caches keep them by path. */
export const AccessPanel = ({ bucket }: { bucket: BucketWire }) => (
  <RulesForm<AccessRules>
    bucket={bucket}
    title="Access rules"
    text="Choose which sites and networks can open this bucket’s files, how often, and how long they are cached by path."
    saved="Access rules saved."
    fields={FIELDS}
    save={(rules) => setDeliveryRules(bucket.id, rules)}
  />
);

/** Returns a whole number; undefined for text that is none, or not in the range. */
function parseNumber(text: string, min: number, max: number): number | undefined {
  const number = /^\d{1,8}$/.test(text.trim()) ? Number(text) : -1;
  return number >= min && number <= max ? number : undefined;
}
