import { rangeOutside } from '../../errors.ts';
import { accepts } from '../../web/accept-encoding.ts';
import { CONDITIONS, isFresh, isOther, type Range, rangeOf } from '../../web/conditions.ts';
import { counted, type Sent } from './counted.ts';
import { redirectTo } from './redirected.ts';
import { otherVersion, refuse } from './refusal.ts';
import type { Deliverable } from './representation.ts';
import { begun } from './streamed.ts';

export type Wishes = {
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
export function answerWith(
  request: Request,
  { plain, packed }: Deliverable,
  { cacheControl, isDownload = false }: Wishes,
  sent: Sent,
): Response | Promise<Response> {
  const asked = request.headers;
  const form = packed && accepts(asked.get('accept-encoding'), 'gzip') ? packed : plain;
  const respond = (init: { status?: number; headers: Headers }, size: number, range?: Range) => {
    if (request.method === 'HEAD') return new Response(null, withLength(init, size));
    if (form.link && cacheControl === undefined) {
      sent(size);
      return redirectTo(form.link, init.headers);
    }
    const body = form.body(range);
    if (body instanceof Blob) return new Response(counted(body, size, sent), init);
    return begun(body, size).then((ready) => new Response(counted(ready, size, sent), init));
  };
  const isPlain = cacheControl === undefined && !isDownload;
  if (isPlain && !CONDITIONS.some((name) => asked.has(name))) {
    return respond({ headers: form.headers }, form.size);
  }
  if (isOther(asked, form)) return refuse(otherVersion());
  const headers = new Headers(form.headers);
  if (cacheControl !== undefined) headers.set('cache-control', cacheControl);
  if (isDownload) {
    const shown = headers.get('content-disposition') ?? '';
    headers.set('content-disposition', shown.replace(/^inline/, 'attachment'));
  }
  if (isFresh(asked, form)) return new Response(null, { status: 304, headers });
  const range = rangeOf(asked, form.size, form);
  if (range === 'unsatisfiable') return refuse(rangeOutside(form.size));
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
