import {
  type ExpiryRule,
  MAX_EXPIRY_DAYS,
  MAX_EXPIRY_ID_LENGTH,
  MAX_EXPIRY_RULES,
} from '../../../../contract/files/expiry-rules.ts';
import { DAY } from '../../../../contract/limits.ts';
import { S3Error } from '../../errors.ts';
import { leafText, onlyElement, textOf, type XmlElement } from '../../xml/parse.ts';
import { requireElements, requireRoot } from '../../xml/strict.ts';

/** As in S3. */
const MAX_RULES = 1000;
/** How long multipart uploads stay after their last part. */
const UPLOAD_DAYS = 7;

const ONLY_EXPIRATION = 'A rule can only have an Expiration in Days, and abort multipart uploads.';
const REFUSED_RULE = {
  Transition: ONLY_EXPIRATION,
  NoncurrentVersionTransition: ONLY_EXPIRATION,
  NoncurrentVersionExpiration: ONLY_EXPIRATION,
};

const ONLY_PREFIX = 'The filter of a rule can only have a Prefix.';
const REFUSED_FILTER = {
  And: ONLY_PREFIX,
  Tag: ONLY_PREFIX,
  ObjectSizeGreaterThan: ONLY_PREFIX,
  ObjectSizeLessThan: ONLY_PREFIX,
};

const REFUSED_EXPIRATION = { Date: ONLY_EXPIRATION };

const ISO_DATE = /^\d{4}-\d{2}-\d{2}(T[\d:.]+(Z|[+-]\d{2}:?\d{2})?)?$/;

/** A rule of a lifecycle, as a client has sent it. */
export type LifecycleRule = {
  id?: string;
  prefix: string;
  /** Whether the prefix is in the rule itself, as in documents of earlier clients. */
  isFlat: boolean;
  isEnabled: boolean;
  /** After how many days objects expire; undefined where they don't. */
  days?: number;
  /** Whether delete markers that are alone are deleted, which they are anyway. */
  deletesMarkers: boolean;
  /** After how many days multipart uploads are aborted; undefined where the rule doesn't say. */
  abortDays?: number;
};

const malformed = (message: string) => new S3Error('MalformedXML', message);

/** Returns the rules by which objects of a bucket expire. */
export const toExpiryRules = (rules: readonly LifecycleRule[]): ExpiryRule[] =>
  rules.flatMap(({ id, prefix, isEnabled, days }) =>
    isEnabled && days !== undefined ? [{ prefix, days, id }] : [],
  );

/**
 * Returns the rules of a lifecycle. Throws MalformedXML, InvalidArgument, and NotImplemented for what a bucket's rules
 * can't express.
 */
export function parseLifecycle(root: XmlElement): LifecycleRule[] {
  requireRoot(root, 'LifecycleConfiguration');
  requireElements(root, ['Rule']);
  if (root.children.length === 0 || root.children.length > MAX_RULES) {
    throw malformed(`Send 1 to ${MAX_RULES} elements Rule.`);
  }
  const ids = root.children.flatMap((rule) => textOf(rule, 'ID') || []);
  if (new Set(ids).size < ids.length) {
    throw new S3Error('InvalidArgument', 'Two rules have the same ID.');
  }
  const rules = root.children.map(parseRule);
  if (toExpiryRules(rules).length <= MAX_EXPIRY_RULES) return rules;
  throw new S3Error(
    'InvalidRequest',
    `A bucket can have up to ${MAX_EXPIRY_RULES} rules with an Expiration.`,
  );
}

function parseRule(rule: XmlElement): LifecycleRule {
  requireDates(rule);
  const actions = ['Expiration', 'AbortIncompleteMultipartUpload'];
  requireElements(rule, ['ID', 'Filter', 'Prefix', 'Status', ...actions], REFUSED_RULE);
  const [expiration, abort] = actions.map((name) => onlyElement(rule, name));
  if (!expiration && !abort) throw malformed('A Rule needs an Expiration or another action.');
  const deletesMarkers = expiration !== undefined && isOfMarkers(expiration);
  return {
    id: parseId(rule),
    ...parsePrefix(rule),
    isEnabled: parseStatus(textOf(rule, 'Status')),
    ...(expiration && !deletesMarkers && { days: parseExpiration(expiration) }),
    deletesMarkers,
    ...(abort && { abortDays: parseAbort(abort) }),
  };
}

/** Whether delete markers expire that are alone. They go with the last version below them anyway. */
function isOfMarkers(expiration: XmlElement): boolean {
  const text = textOf(expiration, 'ExpiredObjectDeleteMarker')?.trim();
  if (text !== undefined && text !== 'true' && text !== 'false') {
    throw malformed('ExpiredObjectDeleteMarker must be true or false.');
  }
  return text === 'true' && expiration.children.length === 1;
}

/** Throws where a date in a rule is not one: a mistake is told before what is not supported. */
function requireDates({ children }: XmlElement): void {
  for (const element of children) {
    if (element.name === 'Date') requireMidnight(leafText(element).trim());
    requireDates(element);
  }
}

function requireMidnight(text: string): void {
  if (!ISO_DATE.test(text)) throw malformed('A Date must be in ISO 8601.');
  if (Date.parse(text) % DAY === 0) return;
  throw new S3Error('InvalidArgument', "'Date' must be at midnight GMT.");
}

function parseId(rule: XmlElement): string | undefined {
  const id = textOf(rule, 'ID');
  if (id !== undefined && id.length > MAX_EXPIRY_ID_LENGTH) {
    throw new S3Error('InvalidArgument', `An ID has at most ${MAX_EXPIRY_ID_LENGTH} characters.`);
  }
  return id === '' ? undefined : id;
}

/** The prefix is in the filter, or in the rule itself as in documents of earlier clients. */
function parsePrefix(rule: XmlElement): Pick<LifecycleRule, 'prefix' | 'isFlat'> {
  const filter = onlyElement(rule, 'Filter');
  const own = textOf(rule, 'Prefix');
  if ((filter === undefined) === (own === undefined)) {
    throw malformed('A Rule needs either a Filter or a Prefix.');
  }
  if (!filter) return { prefix: own ?? '', isFlat: true };
  requireElements(filter, ['Prefix'], REFUSED_FILTER);
  return { prefix: textOf(filter, 'Prefix') ?? '', isFlat: false };
}

function parseStatus(status: string | undefined): boolean {
  if (status === 'Enabled') return true;
  if (status === 'Disabled') return false;
  throw malformed('Status must be Enabled or Disabled.');
}

function parseExpiration(expiration: XmlElement): number {
  requireElements(expiration, ['Days'], REFUSED_EXPIRATION);
  const days = parseDays(textOf(expiration, 'Days'));
  if (days <= MAX_EXPIRY_DAYS) return days;
  throw new S3Error('InvalidArgument', `Days can be at most ${MAX_EXPIRY_DAYS}.`);
}

/** Uploads without a part for seven days are aborted anyway. */
function parseAbort(abort: XmlElement): number {
  requireElements(abort, ['DaysAfterInitiation']);
  const days = parseDays(textOf(abort, 'DaysAfterInitiation'));
  if (days >= UPLOAD_DAYS) return days;
  throw new S3Error(
    'NotImplemented',
    `Multipart uploads are aborted ${UPLOAD_DAYS} days after their last part: DaysAfterInitiation must be ${UPLOAD_DAYS} or more.`,
  );
}

function parseDays(text: string | undefined): number {
  if (text === undefined || !/^-?\d{1,9}$/.test(text)) {
    throw malformed('A number of days must be a whole number.');
  }
  if (Number(text) >= 1) return Number(text);
  throw new S3Error('InvalidArgument', 'A number of days must be 1 or more.');
}
