import { S3Error } from '../errors.ts';

/** The fields of a form by their names in lower case. */
export type FormFields = ReadonlyMap<string, string>;

/** What a form may send, as who has signed it says. */
export type Policy = {
  /** In epoch milliseconds. */
  expiresAt: number;
  conditions: Condition[];
  /** How many bytes the file may have. */
  minBytes: number;
  maxBytes: number;
};

type Condition = { operator: 'eq' | 'starts-with'; field: string; value: string };

/** In ISO 8601, with a zone, as every client writes it. */
const EXPIRATION = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:?\d\d)$/i;

const invalidPolicy = (reason: string) =>
  new S3Error('InvalidPolicyDocument', `The policy of the form is not valid: ${reason}.`);

/** Returns a policy. Names of fields and operators have any case of letters. Throws InvalidPolicyDocument. */
export function parsePolicy(encoded: string): Policy {
  const { expiration, conditions } = parseDocument(encoded);
  const expiresAt =
    typeof expiration === 'string' && EXPIRATION.test(expiration) ? Date.parse(expiration) : NaN;
  if (Number.isNaN(expiresAt)) {
    throw invalidPolicy('its expiration must be a time such as 2999-12-31T12:00:00Z');
  }
  if (!Array.isArray(conditions)) throw invalidPolicy('it needs a list of conditions');
  const policy: Policy = {
    ...{ expiresAt, conditions: [] },
    ...{ minBytes: 0, maxBytes: Number.POSITIVE_INFINITY },
  };
  for (const condition of conditions) {
    if (Array.isArray(condition)) addListed(policy, condition);
    else addNamed(policy, condition);
  }
  return policy;
}

function parseDocument(encoded: string): { expiration?: unknown; conditions?: unknown } {
  try {
    const bytes = Buffer.from(encoded, 'base64');
    const document = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    if (typeof document === 'object' && document !== null) return document;
  } catch {
    // It is refused below.
  }
  throw invalidPolicy('it must be a JSON object in Base64');
}

/** Adds conditions such as `{"acl": "private"}`. */
function addNamed(policy: Policy, condition: unknown): void {
  const entries = typeof condition === 'object' && condition ? Object.entries(condition) : [];
  if (entries.length === 0) throw invalidPolicy('a condition is empty');
  for (const [field, value] of entries) {
    if (typeof value !== 'string') throw invalidPolicy(`the value of ${field} must be a text`);
    policy.conditions.push({ operator: 'eq', field: field.toLowerCase(), value });
  }
}

/** Adds a condition such as `["eq", "$acl", "private"]` or `["content-length-range", 1, 100]`. */
function addListed(policy: Policy, [name, first, second, ...more]: unknown[]): void {
  const operator = typeof name === 'string' ? name.toLowerCase() : '';
  if (more.length > 0 || second === undefined) {
    throw invalidPolicy('a condition in a list has three parts');
  }
  if (operator === 'content-length-range') {
    const [min, max] = [toBytes(first), toBytes(second)];
    // Of several ranges all hold.
    policy.minBytes = Math.max(policy.minBytes, min);
    policy.maxBytes = Math.min(policy.maxBytes, max);
    return;
  }
  if (operator !== 'eq' && operator !== 'starts-with') {
    throw invalidPolicy('a condition must be eq, starts-with or content-length-range');
  }
  if (typeof first !== 'string' || !first.startsWith('$') || typeof second !== 'string') {
    throw invalidPolicy(`a condition of ${operator} needs a field such as "$key", and a text`);
  }
  policy.conditions.push({ operator, field: first.slice(1).toLowerCase(), value: second });
}

function toBytes(value: unknown): number {
  const text = typeof value === 'number' || typeof value === 'string' ? String(value) : '';
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw invalidPolicy('content-length-range needs two numbers of bytes');
}

/** The fields that no condition has to allow: the proof itself, and what clients mark as of no meaning. */
const isFree = (field: string): boolean =>
  ['policy', 'x-amz-signature', 'signature', 'awsaccesskeyid', 'file'].includes(field) ||
  field.startsWith('x-ignore-');

/**
 * Throws AccessDenied where a policy has expired, or a form sends what it doesn't allow: each field needs a condition,
 * and the bucket too.
 * @param fields with the bucket as `bucket`
 * @param now epoch milliseconds
 */
export function requireAllowed(policy: Policy, fields: FormFields, now: number): void {
  if (now >= policy.expiresAt) {
    throw new S3Error('AccessDenied', 'Invalid according to Policy: Policy expired.');
  }
  for (const { operator, field, value } of policy.conditions) {
    const sent = fields.get(field) ?? '';
    if (operator === 'eq' ? sent === value : fields.has(field) && sent.startsWith(value)) continue;
    const condition = JSON.stringify([operator, `$${field}`, value]);
    throw new S3Error(
      'AccessDenied',
      `Invalid according to Policy: Policy Condition failed: ${condition}. The form has ${fields.has(field) ? JSON.stringify(sent.slice(0, 200)) : 'no such field'}.`,
    );
  }
  const allowed = new Set(policy.conditions.map(({ field }) => field));
  const extra = [...fields.keys()].find((field) => !isFree(field) && !allowed.has(field));
  if (extra === undefined) return;
  throw new S3Error('AccessDenied', `Invalid according to Policy: Extra input fields: ${extra}`);
}
