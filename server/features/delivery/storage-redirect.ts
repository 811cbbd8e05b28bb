import { KIB, MINUTE, SECOND } from '../../contract/limits.ts';
import type { StoredObject } from '../../platform/storage/port.ts';
import { isPublic } from '../access/can.ts';
import { contentTypeOf } from '../files/service.ts';
import { SECURITY_HEADERS, type Subject } from './headers.ts';

/** Anybody who has a link can open it, so it expires as soon as clients have followed it. */
const LINK_TTL_MS = 10 * MINUTE;
/** How long clients may cache the redirect, which must be shorter than the link's lifetime. */
const REDIRECT_MAX_AGE_MS = 5 * MINUTE;
/** Sending a smaller object takes less time than a redirect. */
const MIN_REDIRECT_BYTES = 128 * KIB;

/**
 * Whether a client may be redirected to the storage for an object. A private object would be open longer than its
 * token, a preview longer than its session, and a file that expires longer than that. A player would follow a redirect
 * for each segment of a video. An SVG needs our headers, which keep it from running scripts.
 */
export function canRedirect({ file, bucket, name, use, isByPath }: Subject, size: number): boolean {
  const type = contentTypeOf(name);
  const isPicture = file.file_type === 'image' && type.startsWith('image/');
  return (
    isPublic(file, bucket) &&
    file.expires_at === null &&
    use !== 'preview' &&
    !isByPath &&
    isPicture &&
    !type.includes('svg') &&
    size >= MIN_REDIRECT_BYTES
  );
}

/**
 * Redirects a client to the storage, which responds with the same content type, disposition and
 * caching.
 */
export async function createRedirect(
  link: NonNullable<StoredObject['link']>,
  headers: Headers,
): Promise<Response> {
  const cacheControl = headers.get('cache-control') ?? 'no-store';
  const location = await link(LINK_TTL_MS / SECOND, {
    contentType: headers.get('content-type') ?? '',
    contentDisposition: headers.get('content-disposition') ?? '',
    cacheControl,
  });
  const scope = cacheControl.startsWith('public') ? 'public' : 'private';
  const vary = headers.get('vary');
  return new Response(null, {
    status: 302,
    headers: {
      ...SECURITY_HEADERS,
      location,
      'cache-control': `${scope}, max-age=${REDIRECT_MAX_AGE_MS / SECOND}`,
      ...(vary && { vary }),
    },
  });
}
