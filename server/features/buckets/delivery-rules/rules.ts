import {
  type DeliveryRules,
  NO_DELIVERY_RULES,
  parseOrigin,
  parseReferrer,
} from '../../../contract/delivery-limits.ts';
import { invalid } from '../../../errors.ts';
import { parseIpRange } from './ip-ranges.ts';

/** Returns the rules of a bucket's row. Rows of earlier versions lack the later rules. */
export const parseRules = (column: string | null): DeliveryRules =>
  column === null ? NO_DELIVERY_RULES : { ...NO_DELIVERY_RULES, ...JSON.parse(column) };

/** Returns the column of rules; null where they are those of a new bucket, so that delivery has nothing to check. */
export function formatRules(rules: DeliveryRules): string | null {
  const isEmpty = Object.entries(rules).every(([name, rule]) =>
    Array.isArray(rule)
      ? rule.length === 0
      : rule === NO_DELIVERY_RULES[name as keyof DeliveryRules],
  );
  return isEmpty ? null : JSON.stringify(rules);
}

/**
 * Returns rules with each site, origin and range in one form and once. Throws invalid, which names what is
 * none.
 */
export function validateRules(rules: DeliveryRules): DeliveryRules {
  return {
    ...rules,
    allowed_referrers: parseEach(
      rules.allowed_referrers,
      parseReferrer,
      'a site such as example.com or *.example.com',
    ),
    cors_origins: parseEach(
      rules.cors_origins,
      parseOrigin,
      'an origin such as https://example.com',
    ),
    allowed_ips: parseEach(rules.allowed_ips, parseIpRange, IP_RANGE),
    denied_ips: parseEach(rules.denied_ips, parseIpRange, IP_RANGE),
  };
}

const IP_RANGE = 'an IP address or range such as 203.0.113.7 or 2001:db8::/32';

function parseEach(
  texts: string[],
  parse: (text: string) => string | null,
  kind: string,
): string[] {
  const parsed = texts.map((text) => {
    const one = parse(text);
    if (one === null) throw invalid(`${JSON.stringify(text)} is not ${kind}.`);
    return one;
  });
  return [...new Set(parsed)];
}
