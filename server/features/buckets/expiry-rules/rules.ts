import { type ExpiryRule, isPathPrefix } from '../../../contract/files/expiry-rules.ts';
import { DAY } from '../../../contract/limits.ts';
import { invalid } from '../../../errors.ts';
import type { BucketRow } from '../tables.ts';

/** The columns of a bucket's row that say which files expire, and how far the search for them is. */
export type ExpiryColumns = Pick<BucketRow, 'expiry_rules' | 'expiry_due_at' | 'expiry_position'>;

/** Delivery keeps the rows of buckets in memory, with their rules. */
const MAX_RULES_LENGTH = 10_000;

/** Returns the rules of a bucket's row. */
export const parseExpiryRules = (column: string | null): ExpiryRule[] =>
  column === null ? [] : JSON.parse(column);

/**
 * Returns the columns of new rules, with which the search for expired files begins again. Throws invalid.
 * @param now in epoch milliseconds
 */
export function expiryColumns(rules: ExpiryRule[], now: number): ExpiryColumns {
  const prefixes = new Set<string>();
  const ids = new Set<string>();
  for (const { prefix, id } of rules) {
    const text = JSON.stringify(prefix);
    if (!isPathPrefix(prefix)) throw invalid(`No path of a file can begin with ${text}.`);
    if (prefixes.has(prefix)) throw invalid(`There are two rules for ${text}.`);
    prefixes.add(prefix);
    if (id === undefined) continue;
    if (ids.has(id)) throw invalid(`There are two rules with the id ${JSON.stringify(id)}.`);
    ids.add(id);
  }
  const column = JSON.stringify(rules.map(({ prefix, days, id }) => ({ prefix, days, id })));
  if (column.length > MAX_RULES_LENGTH) {
    throw invalid('The prefixes of the rules are too long together. Use fewer or shorter ones.');
  }
  return rules.length === 0
    ? { expiry_rules: null, expiry_due_at: null, expiry_position: '' }
    : { expiry_rules: column, expiry_due_at: now, expiry_position: '' };
}

type FileInTime = { path: string; created_at: number };

/**
 * Returns the rule that deletes a file, and when, in epoch milliseconds; null for none. Of several rules for its path,
 * the one with the fewest days holds.
 */
export function expiryOf(
  rules: ExpiryRule[],
  file: FileInTime,
): { rule: ExpiryRule; at: number } | null {
  const [rule] = rules
    .filter(({ prefix }) => file.path.startsWith(prefix))
    .sort((one, other) => one.days - other.days);
  return rule ? { rule, at: file.created_at + rule.days * DAY } : null;
}

/** Whether a rule deletes a file by now. */
export function isExpiredBy(rules: ExpiryRule[], file: FileInTime, now: number): boolean {
  const expiry = expiryOf(rules, file);
  return expiry !== null && expiry.at <= now;
}

/**
 * Returns the path from which the search goes on: the position, or the beginning of the next prefix where no rule
 * is about the paths at the position; null where none is about any path behind it.
 */
export function nextExpiryStart(rules: ExpiryRule[], position: string): string | null {
  const prefixes = rules.map(({ prefix }) => prefix);
  if (prefixes.some((prefix) => position.startsWith(prefix))) return position;
  const behind = prefixes.filter((prefix) => compareBytes(prefix, position) > 0);
  return behind.sort(compareBytes)[0] ?? null;
}

/** Compares as the database compares paths: by their bytes in UTF-8. */
const compareBytes = (one: string, other: string) =>
  Buffer.compare(Buffer.from(one), Buffer.from(other));
