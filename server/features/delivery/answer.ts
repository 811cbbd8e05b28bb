import { MIB } from '../../contract/limits.ts';
import { isFresh, rangeOf } from './conditions.ts';
import { contentTypeOf, isCues } from './content-types.ts';
import { PRIVATE_CACHE, SAFETY } from './headers.ts';
import type { CachedObject } from './object-cache.ts';
import { withToken, withTokenInCues } from './playlists.ts';

/** A playlist of ten hours is a tenth of this. */
const PLAYLIST_MAX = 4 * MIB;
const ASKS = ['range', 'if-none-match', 'if-modified-since'];

/**
 * The object, whole or in part, or word that the client's copy is still good. `cacheControl` where
 * it is not the one of public objects.
 */
export function answerObject(
  request: Request,
  { object, headers: whole, bytes }: CachedObject,
  cacheControl: string | null = null,
): Response {
  const asked = request.headers;
  // For HEAD too: Bun sends the headers alone, but takes the length from the body.
  if (cacheControl === null && !ASKS.some((name) => asked.has(name))) {
    return new Response(bytes ?? object.body(), { headers: whole });
  }
  const headers = new Headers(whole);
  if (cacheControl !== null) headers.set('cache-control', cacheControl);
  const etag = whole.get('etag') ?? '';
  if (isFresh(asked, etag, object.modifiedAt)) {
    headers.delete('content-length');
    return new Response(null, { status: 304, headers });
  }
  const range = rangeOf(asked, object.size, etag, object.modifiedAt);
  if (range === 'unsatisfiable') return outside(object.size);
  if (!range) return new Response(bytes ?? object.body(), { headers });
  headers.set('content-range', `bytes ${range.start}-${range.end - 1}/${object.size}`);
  headers.set('content-length', String(range.end - range.start));
  const body = bytes ? bytes.slice(range.start, range.end) : object.body(range);
  return new Response(body, { status: 206, headers });
}

const outside = (size: number) =>
  new Response('The range lies outside of the file.', {
    status: 416,
    headers: {
      'content-type': 'text/plain; charset=utf-8',
      'content-range': `bytes */${size}`,
      'cache-control': 'no-store',
    },
  });

/** Names other objects, which need the token too. It is nobody else's: never cached by anyone. */
export async function answerPrivateText(
  name: string,
  { object, bytes }: CachedObject,
  token: string,
): Promise<Response> {
  if (object.size > PLAYLIST_MAX) throw new Error('a playlist is larger than any we make');
  const rewrite = isCues(name) ? withTokenInCues : withToken;
  const text = rewrite(await new Response(bytes ?? object.body()).text(), token);
  return new Response(text, {
    headers: {
      ...SAFETY,
      'content-type': contentTypeOf(name),
      'cache-control': PRIVATE_CACHE,
      'content-length': String(Buffer.byteLength(text)),
    },
  });
}

/** For players on other sites, which ask before they send a Range. */
export const answerPreflight = () =>
  new Response(null, {
    status: 204,
    headers: {
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, HEAD',
      'access-control-allow-headers': 'range, if-range, if-none-match, if-modified-since',
      'access-control-max-age': '86400',
    },
  });
