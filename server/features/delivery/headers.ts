import type { StoredObject } from '../../platform/objects/port.ts';
import { contentTypeOf } from './content-types.ts';

const PUBLIC_CACHE = 'public, max-age=31536000, immutable';
export const PRIVATE_CACHE = 'private, no-store';

/**
 * Nothing uploaded may ever act as a page of this origin, wherever it is opened: an SVG
 * runs no script, loads nothing and reads no storage.
 */
export const SAFETY = {
  'x-content-type-options': 'nosniff',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; media-src 'self'; sandbox",
  'cross-origin-resource-policy': 'cross-origin',
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'accept-ranges, content-length, content-range, etag',
};

/** The headers of a public object's whole answer. Objects never change, so the key is as good as a hash. */
export function objectHeaders(key: string, object: StoredObject): Headers {
  return new Headers({
    ...SAFETY,
    'content-type': contentTypeOf(key),
    'cache-control': PUBLIC_CACHE,
    'accept-ranges': 'bytes',
    'last-modified': new Date(object.modifiedAt).toUTCString(),
    // Bun would put the name on our disk here.
    'content-disposition': 'inline',
    'content-length': String(object.size),
    etag: `"${Bun.hash(key).toString(36)}"`,
  });
}
