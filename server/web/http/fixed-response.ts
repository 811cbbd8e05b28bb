import { memoizeAsync } from '../../contract/memoize.ts';
import { isFresh } from './conditional-requests.ts';
import { accepts } from './content-negotiation.ts';
import type { CompressedPart } from './gzip-parts.ts';

type Headers = Record<string, string>;

/**
 * Responds with texts around a part that stays the same, with gzip where the client accepts it.
 * @param version what the ETag is made of, which is weak because the compressed form has the same; null
 *   for no ETag
 */
export async function respondAround(
  { headers: sent }: Request,
  [before, part, after]: [before: string, part: CompressedPart, after: string],
  headers: Headers,
  version: string | null,
): Promise<Response> {
  const tag = version === null ? null : `"${Bun.SHA256.hash(version, 'base64url')}"`;
  const kept: Headers = { ...(tag && { etag: `W/${tag}` }), ...headers };
  if (tag && isFresh(sent, { etag: tag, modifiedAt: null })) return notModified(kept);
  if (!accepts(sent.get('accept-encoding'), 'gzip')) {
    const bytes = Buffer.concat([Buffer.from(before), part.bytes, Buffer.from(after)]);
    return new Response(bytes, { headers: kept });
  }
  const { gzipAround } = await import('./gzip-parts.ts');
  return new Response(gzipAround(before, part, after), {
    headers: { ...kept, 'content-encoding': 'gzip' },
  });
}

/**
 * "The server generating a 304 response MUST generate any of the following header fields that would have been
 * sent in a 200 (OK) response" (RFC 9110, 15.4.5). Others replace those of the copy that the browser has: a
 * policy with another nonce would disable the scripts of that copy.
 */
function notModified({ etag = '', 'cache-control': caching = '' }: Headers): Response {
  return new Response(null, { status: 304, headers: { etag, 'cache-control': caching } });
}

/**
 * Returns what responds with JSON that stays the same until the server ends. It is made, written and
 * compressed at the first request.
 */
export function fixedJson(load: () => Promise<unknown>): (request: Request) => Promise<Response> {
  const made = memoizeAsync(async () => {
    const { compressPart } = await import('./gzip-parts.ts');
    return compressPart(JSON.stringify(await load()));
  });
  return async (request) => {
    const part = await made();
    const headers = {
      'content-type': 'application/json;charset=utf-8',
      'cache-control': 'no-cache',
    };
    return respondAround(request, ['', part, ''], headers, part.hash);
  };
}
