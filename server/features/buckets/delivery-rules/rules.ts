import {
  type DeliveryRules,
  MAX_REFERRERS,
  NO_DELIVERY_RULES,
  parseReferrer,
} from '../../../contract/delivery-limits.ts';
import { invalid } from '../../../errors.ts';

/** Returns the rules of a bucket's row. */
export const parseRules = (column: string | null): DeliveryRules =>
  column === null ? NO_DELIVERY_RULES : JSON.parse(column);

/** Returns the column of rules; null where they demand nothing, so that delivery has nothing to check. */
export function formatRules(rules: DeliveryRules): string | null {
  const { allowed_referrers, requests_per_client, requests_per_file } = rules;
  const isEmpty =
    allowed_referrers.length === 0 && requests_per_client === null && requests_per_file === null;
  return isEmpty
    ? null
    : JSON.stringify({ allowed_referrers, requests_per_client, requests_per_file });
}

/** Returns rules with the sites in one form, each once. Throws invalid for what is no site. */
export function validateRules(rules: DeliveryRules): DeliveryRules {
  const sites = rules.allowed_referrers.map((text) => {
    const site = parseReferrer(text);
    if (!site)
      throw invalid(`${JSON.stringify(text)} is not a site such as example.com or *.example.com.`);
    return site;
  });
  const allowed_referrers = [...new Set(sites)];
  if (allowed_referrers.length > MAX_REFERRERS) {
    throw invalid(`A bucket can allow up to ${MAX_REFERRERS} sites.`);
  }
  return { ...rules, allowed_referrers };
}
