import { rangeOutside } from '../../errors.ts';
import { accepts } from '../../web/http/accept-encoding.ts';
import {
  CONDITIONAL_HEADERS,
  isFresh,
  isOther,
  type Range,
  rangeOf,
} from '../../web/http/conditional-requests.ts';
import { countBytes, type Sent } from './byte-counter.ts';
import { errorResponse, versionMismatch } from './error-response.ts';
import { createRedirect } from './storage-redirect.ts';
import { startStream } from './stream-body.ts';
import type { Deliverable } from './variants.ts';

export type RequestPreferences = {
  /** In place of the object's own, where it is not to be kept as long as that says. */
  cacheControl?: string | undefined;
  /** To be saved and not shown. */
  isDownload?: boolean;
};

/**
 * What was asked for, whole or in part, or word that the client's copy is still good. At once where
 * the bytes are on this machine. `sent` is told of every byte of a body that leaves. Throws, or
 * rejects with, what the store fails with before the first byte.
 */
export function respondWith(
  request: Request,
  { plain, packed }: Deliverable,
  { cacheControl, isDownload = false }: RequestPreferences,
  sent: Sent,
): Response | Promise<Response> {
  const asked = request.headers;
  const form = packed && accepts(asked.get('accept-encoding'), 'gzip') ? packed : plain;
  const respond = (init: { status?: number; headers: Headers }, size: number, range?: Range) => {
    if (request.method === 'HEAD') return new Response(null, withLength(init, size));
    if (form.link && cacheControl === undefined) {
      sent(size);
      return createRedirect(form.link, init.headers);
    }
    const body = form.body(range);
    if (body instanceof Blob) return new Response(countBytes(body, size, sent), init);
    return startStream(body, size).then(
      (ready) => new Response(countBytes(ready, size, sent), init),
    );
  };
  const isPlain = cacheControl === undefined && !isDownload;
  if (isPlain && !CONDITIONAL_HEADERS.some((name) => asked.has(name))) {
    return respond({ headers: form.headers }, form.size);
  }
  if (isOther(asked, form)) return errorResponse(versionMismatch());
  const headers = new Headers(form.headers);
  if (cacheControl !== undefined) headers.set('cache-control', cacheControl);
  if (isDownload) {
    const shown = headers.get('content-disposition') ?? '';
    headers.set('content-disposition', shown.replace(/^inline/, 'attachment'));
  }
  if (isFresh(asked, form)) return new Response(null, { status: 304, headers });
  const range = rangeOf(asked, form.size, form);
  if (range === 'unsatisfiable') return errorResponse(rangeOutside(form.size));
  if (!range) return respond({ headers }, form.size);
  headers.set('content-range', `bytes ${range.start}-${range.end - 1}/${form.size}`);
  const size = range.end - range.start;
  return respond({ status: 206, headers }, size, range);
}

/** Bun gives the length of the bodies that it has, and of none that it has not. */
function withLength(init: { headers: Headers }, size: number) {
  const headers = new Headers(init.headers);
  headers.set('content-length', String(size));
  return { ...init, headers };
}
