import { S3Error } from '../../errors.ts';

/** Who a statement is about: everybody, or some accounts by their ids. */
type Principals = '*' | string[];

/** What a policy allows. It only ever adds to what ACLs do. */
export type Policy = {
  /** Who may read the objects whose keys match one of some patterns. */
  reads: { principals: Principals; keys: string[] }[];
  /** Who may list the bucket, with a prefix that matches one of some patterns; null for any. */
  lists: { principals: Principals; prefixes: string[] | null }[];
};

/** The characters of a policy that a bucket keeps. It is parsed for each request that it may allow. */
const MAX_LENGTH = 8_192;
const MAX_STATEMENTS = 50;
const ARN = 'arn:aws:s3:::';
const ACTIONS = ['s3:GetObject', 's3:ListBucket', 's3:GetBucketLocation'];
const STATEMENT = ['Sid', 'Effect', 'Principal', 'Action', 'Resource', 'Condition'];

const malformed = (message: string) => new S3Error('MalformedPolicy', message);
const unsupported = (message: string) => new S3Error('NotImplemented', message);

type Json = Record<string, unknown>;
const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Returns what a policy of a bucket allows. Throws MalformedPolicy, and NotImplemented for what this server would not do:
 * it only lets others read objects and list the bucket.
 * @param bucketName as the request has it
 */
export function parsePolicy(text: string, bucketName: string): Policy {
  if (text.length > MAX_LENGTH) {
    throw malformed(`A policy can have at most ${MAX_LENGTH} characters.`);
  }
  const policy = readObject(text);
  const unknown = Object.keys(policy).find((key) => !['Version', 'Id', 'Statement'].includes(key));
  if (unknown !== undefined) throw malformed(`A policy can't have ${unknown}.`);
  const statements = listOf(policy.Statement).map((statement) => {
    if (!isObject(statement)) throw malformed('A Statement must be an object.');
    return statement;
  });
  if (statements.length === 0 || statements.length > MAX_STATEMENTS) {
    throw malformed(`Send 1 to ${MAX_STATEMENTS} statements.`);
  }
  const parsed = statements.map((statement) => parseStatement(statement, bucketName));
  return {
    reads: parsed.flatMap(({ reads }) => reads),
    lists: parsed.flatMap(({ lists }) => lists),
  };
}

function readObject(text: string): Json {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {
    // It is told below.
  }
  throw malformed('The policy must be an object in JSON.');
}

const listOf = (value: unknown): unknown[] =>
  value === undefined ? [] : Array.isArray(value) ? value : [value];

function textsOf(value: unknown, name: string): string[] {
  const texts = listOf(value);
  if (texts.length > 0 && texts.every((text) => typeof text === 'string')) return texts;
  throw malformed(`${name} must be a text or several.`);
}

function parseStatement(statement: Json, bucketName: string): Policy {
  if (statement.Effect === 'Deny') {
    throw unsupported('A statement can only Allow. What nothing allows is denied.');
  }
  if (statement.Effect !== 'Allow') throw malformed('Effect must be Allow.');
  const unknown = Object.keys(statement).find((key) => !STATEMENT.includes(key));
  if (unknown === 'NotAction' || unknown === 'NotResource') {
    throw unsupported(`${unknown} is not supported. Name what is allowed.`);
  }
  if (unknown !== undefined) throw malformed(`A Statement that allows can't have ${unknown}.`);
  const principals = parsePrincipals(statement.Principal);
  const actions = textsOf(statement.Action, 'Action');
  const action = actions.find((one) => !ACTIONS.includes(one));
  if (action !== undefined)
    throw unsupported(`Action can be ${ACTIONS.join(', ')}, not ${action}.`);
  const resources = textsOf(statement.Resource, 'Resource').map((arn) => keyOf(arn, bucketName));
  const prefixes = parseCondition(statement.Condition);
  const keys = resources.filter((key) => key !== null);
  const reads = actions.includes('s3:GetObject') && keys.length > 0;
  if (reads && prefixes) throw unsupported('Reading objects can have no Condition.');
  const lists = actions.includes('s3:ListBucket') && resources.includes(null);
  return {
    reads: reads ? [{ principals, keys }] : [],
    lists: lists ? [{ principals, prefixes }] : [],
  };
}

function parsePrincipals(value: unknown): Principals {
  if (value === '*') return '*';
  if (!isObject(value) || Object.keys(value).join() !== 'AWS') {
    throw malformed('Principal must be "*" or {"AWS": …}.');
  }
  const names = textsOf(value.AWS, 'AWS');
  if (names.includes('*')) return '*';
  return names.map((name) => /^arn:aws:iam::([\w-]+):root$/.exec(name)?.[1] ?? name);
}

/** Returns the pattern of keys that a resource names; null for the bucket itself. */
function keyOf(arn: string, bucketName: string): string | null {
  const [bucket = '', ...key] = arn.startsWith(ARN) ? arn.slice(ARN.length).split('/') : [];
  if (bucket !== '*' && bucket !== bucketName) {
    throw malformed(`Resource must be ${ARN}${bucketName}, or keys in it.`);
  }
  return key.length === 0 ? null : requirePattern(key.join('/'));
}

/** Returns the patterns of prefixes with which a bucket can be listed; null for any. */
function parseCondition(value: unknown): string[] | null {
  if (value === undefined || (isObject(value) && Object.keys(value).length === 0)) return null;
  const [operator = ''] = isObject(value) ? Object.keys(value) : [];
  const test = isObject(value) ? value[operator] : undefined;
  const isKnown =
    isObject(value) &&
    Object.keys(value).length === 1 &&
    ['StringEquals', 'StringLike'].includes(operator) &&
    isObject(test) &&
    Object.keys(test).join() === 's3:prefix';
  if (!isKnown)
    throw unsupported('A Condition can only be StringEquals or StringLike of s3:prefix.');
  const patterns = textsOf((test as Json)['s3:prefix'], 's3:prefix');
  if (operator === 'StringLike') return patterns.map(requirePattern);
  if (patterns.some((text) => text.includes('*'))) throw malformed('Use StringLike for patterns.');
  return patterns;
}

/** With one `*` at the end, a key is compared with each pattern in a single pass. */
function requirePattern(pattern: string): string {
  if (!/[*?]/.test(pattern.replace(/\*$/, ''))) return pattern;
  throw unsupported('A key or prefix can have one "*", at its end.');
}

/** Whether a text matches one of some patterns, each with up to one `*` at its end. */
export const matchesPattern = (patterns: readonly string[], text: string): boolean =>
  patterns.some((pattern) =>
    pattern.endsWith('*') ? text.startsWith(pattern.slice(0, -1)) : text === pattern,
  );

/** Whether a policy lets everybody do something. */
export const isPublicPolicy = ({ reads, lists }: Policy): boolean =>
  [...reads, ...lists].some(({ principals }) => principals === '*');
