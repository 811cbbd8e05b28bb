import { S3Error } from '../../errors.ts';
import { childrenOf, leafText, textOf, type XmlElement } from '../../xml/parse.ts';
import { requireElements, requireRoot } from '../../xml/strict.ts';

/** A rule of a CORS configuration, as a client has sent it. */
export type CorsRule = {
  id?: string;
  /** Origins such as `https://example.com`, each with up to one `*` that stands for any characters. */
  origins: string[];
  methods: string[];
  /** The headers that a request may have, in the same form. */
  headers: string[];
  /** The headers of a response that scripts may read. */
  exposed: string[];
  /** For how many seconds browsers remember the answer to a preflight. */
  maxAge?: number;
};

/** As in S3. */
const MAX_RULES = 100;
/** More than anybody needs. Each is compared with all headers that a preflight names, which takes no signature. */
const MAX_WILDCARDS = 500;
/** More than scripts send. A request without a signature has its headers compared with the thousands that a bucket can have. */
const MAX_REQUESTED_HEADERS = 100;
const MAX_ID_LENGTH = 255;
const METHODS = ['GET', 'PUT', 'HEAD', 'POST', 'DELETE'];
const ELEMENTS = [
  ...['ID', 'AllowedOrigin', 'AllowedMethod'],
  ...['AllowedHeader', 'ExposeHeader', 'MaxAgeSeconds'],
];
/** What can be in a header of the response. */
const HEADER_TEXT = /^[\x21-\x7e]+$/;

const malformed = (message: string) => new S3Error('MalformedXML', message);
const invalid = (message: string) => new S3Error('InvalidRequest', message);

/** Returns the rules of a document. Throws MalformedXML and InvalidRequest. */
export function parseCors(root: XmlElement): CorsRule[] {
  requireRoot(root, 'CORSConfiguration');
  requireElements(root, ['CORSRule']);
  if (root.children.length === 0 || root.children.length > MAX_RULES) {
    throw malformed(`Send 1 to ${MAX_RULES} elements CORSRule.`);
  }
  const rules = root.children.map(parseRule);
  const wildcards = rules
    .flatMap(({ origins, headers }) => [...origins, ...headers])
    .filter((text) => text.includes('*'));
  if (wildcards.length <= MAX_WILDCARDS) return rules;
  throw invalid(`All rules together can have ${MAX_WILDCARDS} origins and headers with a "*".`);
}

function parseRule(rule: XmlElement): CorsRule {
  requireElements(rule, ELEMENTS);
  const textsOf = (name: string) => childrenOf(rule, name).map((text) => leafText(text).trim());
  const id = textOf(rule, 'ID');
  const [origins, methods] = [textsOf('AllowedOrigin'), textsOf('AllowedMethod')];
  const [headers, exposed] = [textsOf('AllowedHeader'), textsOf('ExposeHeader')];
  if (origins.length === 0 || methods.length === 0) {
    throw malformed('A CORSRule needs an AllowedOrigin and an AllowedMethod.');
  }
  const unknown = methods.find((method) => !METHODS.includes(method));
  if (unknown !== undefined) throw invalid(`AllowedMethod can be ${METHODS.join(', ')}.`);
  if ((id?.length ?? 0) > MAX_ID_LENGTH) {
    throw invalid(`An ID has at most ${MAX_ID_LENGTH} characters.`);
  }
  for (const text of [...origins, ...headers]) requirePattern(text);
  if (exposed.some((name) => !HEADER_TEXT.test(name) || name.includes('*'))) {
    throw invalid('ExposeHeader must be the name of one header.');
  }
  const maxAge = parseSeconds(textOf(rule, 'MaxAgeSeconds'));
  return { id, origins, methods, headers, exposed, ...(maxAge !== undefined && { maxAge }) };
}

function requirePattern(text: string): void {
  if (HEADER_TEXT.test(text) && text.split('*').length <= 2) return;
  throw invalid('AllowedOrigin and AllowedHeader can have one "*", and no spaces.');
}

function parseSeconds(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text.trim())) return Number(text);
  throw malformed('MaxAgeSeconds must be a whole number.');
}

/** What a script wants to send. */
export type CorsRequest = {
  origin: string;
  method: string;
  /** The headers that a preflight asks for. */
  headers: readonly string[];
};

/**
 * Returns the first rule that lets a script send its request, and the origin that is answered; null for none, and for more
 * headers than scripts send.
 */
export function matchCors(
  rules: readonly CorsRule[],
  { origin, method, headers }: CorsRequest,
): { rule: CorsRule; allowedOrigin: string } | null {
  const names = new Set(headers.map((name) => name.toLowerCase()));
  if (names.size > MAX_REQUESTED_HEADERS) return null;
  for (const rule of rules) {
    const pattern = rule.origins.find((one) => matches(one, origin));
    if (pattern === undefined || !rule.methods.includes(method)) continue;
    if (!matchesAll(rule.headers, names)) continue;
    return { rule, allowedOrigin: pattern === '*' ? '*' : origin };
  }
  return null;
}

/** Whether each of some names matches a pattern. All patterns are read once, as a rule can have thousands of them. */
function matchesAll(patterns: readonly string[], names: ReadonlySet<string>): boolean {
  const left = new Set(names);
  for (const pattern of patterns) {
    if (left.size === 0) break;
    const text = pattern.toLowerCase();
    if (!text.includes('*')) left.delete(text);
    else for (const name of left) if (matches(text, name)) left.delete(name);
  }
  return left.size === 0;
}

function matches(pattern: string, text: string): boolean {
  const star = pattern.indexOf('*');
  if (star < 0) return pattern === text;
  const end = pattern.slice(star + 1);
  return (
    text.length >= star + end.length &&
    text.startsWith(pattern.slice(0, star)) &&
    text.endsWith(end)
  );
}
