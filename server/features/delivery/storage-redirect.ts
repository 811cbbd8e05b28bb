import { KIB, MINUTE, SECOND } from '../../contract/limits.ts';
import type { StoredObject } from '../../platform/storage/port.ts';
import { contentTypeOf, SAFETY, type Subject } from './headers.ts';

/** Anybody who has a link can open it, so it works no longer than a client needs to follow it. */
const LINK_TTL_MS = 10 * MINUTE;
/** How long clients may cache the redirect, which must be less than the link works. */
const REDIRECT_MAX_AGE_MS = 5 * MINUTE;
/** Sending a smaller object takes less time than a redirect. */
const MIN_REDIRECT_BYTES = 128 * KIB;

/**
 * Whether who asks for an object may be sent to the storage for it. Never what is private: a link
 * would outlive the token. Never what belongs to a video: a playlist names its segments by our
 * addresses, and a player would follow a redirect for each. Never an SVG, which only our headers
 * keep from running scripts.
 */
export function canRedirect({ file, name }: Subject, size: number): boolean {
  const type = contentTypeOf(name);
  const isPicture = file.file_type === 'image' && type.startsWith('image/');
  return (
    file.access === 'public' && isPicture && !type.includes('svg') && size >= MIN_REDIRECT_BYTES
  );
}

/** Sends a client to the storage, which answers as these headers of ours would have. */
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
      ...SAFETY,
      location,
      'cache-control': `${scope}, max-age=${REDIRECT_MAX_AGE_MS / SECOND}`,
      ...(vary && { vary }),
    },
  });
}
