import { createHash } from 'node:crypto';
import { recodePath, recodeQueryText } from './uri-encoding.ts';

/** The parts of a canonical request, each in the form in which it is signed. */
export type CanonicalParts = {
  method: string;
  path: string;
  query: string;
  /** The values of the signed headers by their names in lower case, in the order in which they are signed. */
  headers: ReadonlyMap<string, string>;
  payloadHash: string;
};

/** Returns the text whose hash is signed, see "Create a canonical request" in the reference of AWS. */
export const canonicalRequest = (parts: CanonicalParts): string =>
  [
    parts.method,
    parts.path,
    parts.query,
    ...[...parts.headers].map(([name, value]) => `${name}:${value}`),
    '',
    [...parts.headers.keys()].join(';'),
    parts.payloadHash,
  ].join('\n');

/** Returns the text that is signed. `timestamp` is in the form `20130524T000000Z`. */
export const stringToSign = (request: string, timestamp: string, scope: string): string =>
  // A byte above ASCII in a header is one character, as HTTP parsers hand it out.
  ['AWS4-HMAC-SHA256', timestamp, scope, sha256Hex(Buffer.from(request, 'latin1'))].join('\n');

/** Returns the path that is signed. */
export const canonicalPath = (rawPath: string): string => recodePath(rawPath) || '/';

/** Returns the query that is signed, which the signature itself is no part of. */
export const canonicalQuery = (rawQuery: string): string =>
  rawQuery
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const [name, ...value] = pair.split('=');
      return [recodeQueryText(name ?? ''), recodeQueryText(value.join('='))] as const;
    })
    .filter(([name]) => name !== 'X-Amz-Signature')
    .sort(([nameA, a], [nameB, b]) => compare(nameA, nameB) || compare(a, b))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');

/** Returns the values of signed headers. A header that wasn't sent is signed as an empty one. */
export const canonicalHeaders = (
  headers: Headers,
  signedNames: readonly string[],
): Map<string, string> =>
  new Map(
    signedNames.map((name) => [name, (headers.get(name) ?? '').trim().replace(/[ \t]+/g, ' ')]),
  );

/** Both are ASCII, so this is the order of their bytes. */
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Returns the SHA-256 of bytes or of a text in lower-case hex. */
export const sha256Hex = (bytes: Uint8Array | string): string =>
  createHash('sha256').update(bytes).digest('hex');
