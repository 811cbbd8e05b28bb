import { FILE_METADATA_MAX_BYTES } from '../../../contract/limits.ts';
import type { Access } from '../../../contract/wire.ts';
import { objectContentEncoding } from '../auth/content-encoding.ts';
import { S3Error } from '../errors.ts';
import { parseAcl } from './acl/requested-acl.ts';
import { refuseEncryption } from './encryption-headers.ts';
import { parseTagHeader } from './tagging/tags.ts';

/** The headers that are stored with an object and sent back with it, beside its type. */
const STORED = ['cache-control', 'content-disposition', 'content-language', 'expires'] as const;

const METADATA = 'x-amz-meta-';
const MAX_HEADER_LENGTH = 1024;
export const DEFAULT_CONTENT_TYPE = 'binary/octet-stream';

/** What a client stores with an object; see the columns of `files` with these names. */
export type StoredFields = {
  contentType: string;
  access: Access;
  stored: { metadata: string | null; headers: string | null; tags: string | null };
};

/** Headers that would change what is stored, or for how long. Who sends one must not believe that it was obeyed. */
const REFUSED = ['x-amz-grant-', 'x-amz-object-lock-', 'x-amz-website-redirect-location'];

/** Returns what the headers of a request store with an object. Throws S3Error. */
export function parseStoredFields(headers: Headers): StoredFields {
  refuseEncryption(headers);
  const refused = [...headers.keys()].find((name) => REFUSED.some((one) => name.startsWith(one)));
  if (refused !== undefined) {
    throw new S3Error('NotImplemented', `The header ${refused} is not supported.`);
  }
  const stored: Record<string, string> = {};
  for (const name of STORED) {
    const value = headers.get(name);
    if (value !== null) stored[name] = requireHeaderValue(name, value);
  }
  const encoding = objectContentEncoding(headers);
  if (encoding !== null) {
    stored['content-encoding'] = requireHeaderValue('content-encoding', encoding);
  }
  const metadata = parseMetadata(headers);
  return {
    contentType: requireHeaderValue(
      'content-type',
      headers.get('content-type') || DEFAULT_CONTENT_TYPE,
    ),
    access: parseAcl(headers.get('x-amz-acl')),
    stored: {
      metadata: toJson(metadata),
      headers: toJson(stored),
      tags: parseTagHeader(headers.get('x-amz-tagging')),
    },
  };
}

const toJson = (texts: Record<string, string>): string | null =>
  Object.keys(texts).length === 0 ? null : JSON.stringify(texts);

function parseMetadata(headers: Headers): Record<string, string> {
  const metadata = new Map<string, string>();
  let bytes = 0;
  for (const [name, value] of headers) {
    if (!name.startsWith(METADATA)) continue;
    const key = name.slice(METADATA.length);
    const text = decodeText(value);
    bytes += key.length + Buffer.byteLength(text);
    metadata.set(key, text);
  }
  if (bytes > FILE_METADATA_MAX_BYTES) {
    throw new S3Error(
      'MetadataTooLarge',
      `The metadata of an object can be at most ${FILE_METADATA_MAX_BYTES} bytes.`,
    );
  }
  // A name such as __proto__ is one as any other.
  return Object.fromEntries(metadata);
}

const isLatin1 = (text: string): boolean =>
  [...text].every((character) => character.charCodeAt(0) <= 0xff);

/** Returns the text of a header. Clients send UTF-8, whose bytes arrive as characters of Latin-1. */
function decodeText(value: string): string {
  if (HEADER_VALUE.test(value) || !isLatin1(value)) return value;
  const bytes = Buffer.from(value, 'latin1');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return value;
  }
}

/** Visible ASCII and spaces, so that a value ends no header and every client reads the same. */
const HEADER_VALUE = /^[\x20-\x7e]*$/;

/** Throws InvalidArgument where a text can't be sent as a header. */
export function requireHeaderValue(name: string, value: string): string {
  const text = decodeText(value);
  if (text.length <= MAX_HEADER_LENGTH && HEADER_VALUE.test(text)) return text;
  throw new S3Error(
    'InvalidArgument',
    `${name} can have at most ${MAX_HEADER_LENGTH} characters of ASCII.`,
    { ArgumentName: name },
  );
}

const TOKEN = /^[a-z0-9!#$%&'*+.^_`|~-]+$/;

/** Returns the headers with the metadata of a file, which may have names and texts that no header can have. */
export function metadataHeaders(json: string | null): Record<string, string> {
  const metadata: Record<string, string> = json === null ? {} : JSON.parse(json);
  const headers: Record<string, string> = {};
  let missing = 0;
  for (const [name, text] of Object.entries(metadata)) {
    const key = name.toLowerCase();
    if (!TOKEN.test(key)) missing += 1;
    else headers[METADATA + key] = encodeText(text);
  }
  return missing === 0 ? headers : { ...headers, 'x-amz-missing-meta': String(missing) };
}

/** As S3 sends texts that are not ASCII (RFC 2047). */
const encodeText = (text: string): string =>
  HEADER_VALUE.test(text) ? text : `=?UTF-8?B?${Buffer.from(text).toString('base64')}?=`;

/** Returns the headers that were stored with a file. */
export const storedHeaders = (json: string | null): Record<string, string> =>
  json === null ? {} : JSON.parse(json);
