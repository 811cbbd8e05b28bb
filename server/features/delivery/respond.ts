import { AppError, rangeOutside, renderError } from '../../errors.ts';
import type { ConnectionServer } from '../../platform/tcp/connection.ts';
import {
  hasConditions,
  isFresh,
  isOther,
  type Range,
  rangeOf,
} from '../../web/http/conditional-requests.ts';
import { accepts } from '../../web/http/content-negotiation.ts';
import { type CountSentBytes, countBody, MAX_WHOLE_BYTES } from './byte-counter.ts';
import { SECURITY_HEADERS } from './headers.ts';
import { createRedirect } from './storage-redirect.ts';
import type { Deliverable } from './variants.ts';

/**
 * Returns the response with the object or a range of it, or 304 where the client's copy is current.
 * It is synchronous where the bytes are on this machine. `countSent` counts the bytes of the body, and is
 * null where nobody pays for them; a redirect has none, because only the storage knows whether the client
 * followed it. `server` is the one that sends the response. With a `status` of 404 the object is a page for what is not
 * there, of which no client has a copy or wants a range.
 * Throws, or rejects with, the error of a store that fails before the first byte.
 */
export function respondWith(
  request: Request,
  { uncompressed, packed }: Deliverable,
  countSent: CountSentBytes | null,
  server?: ConnectionServer,
  status = 200,
): Response | Promise<Response> {
  const requestHeaders = request.headers;
  const form =
    packed && accepts(requestHeaders.get('accept-encoding'), 'gzip') ? packed : uncompressed;
  const counted = (body: Blob | ReadableStream<Uint8Array>, size: number) =>
    countSent ? countBody(body, size, countSent, { request, server }) : body;
  const respond = (init: { status?: number; headers: Headers }, size: number, range?: Range) => {
    if (request.method === 'HEAD') return new Response(null, withLength(init, size));
    // A link opens the whole object, so a range is sent from here, where its bytes are counted.
    if (form.link && !range) return createRedirect(form.link, init.headers);
    const body = form.body(range);
    if (body instanceof Blob) return new Response(counted(body, size), init);
    return startStream(body, size).then((ready) => new Response(counted(ready, size), init));
  };
  if (status !== 200 || !hasConditions(requestHeaders)) {
    return respond({ status, headers: form.headers }, form.size);
  }
  if (isOther(requestHeaders, form)) return errorResponse(versionMismatch());
  const headers = new Headers(form.headers);
  if (isFresh(requestHeaders, form)) return new Response(null, { status: 304, headers });
  const range = rangeOf(request, form.size, form);
  if (range === 'unsatisfiable') return errorResponse(rangeOutside(form.size));
  if (!range) return respond({ headers }, form.size);
  headers.set('content-range', `bytes ${range.start}-${range.end - 1}/${form.size}`);
  const size = range.end - range.start;
  return respond({ status: 206, headers }, size, range);
}

/** Adds the Content-Length to a response without a body, for which Bun would not send it. */
function withLength(init: { headers: Headers }, size: number) {
  const headers = new Headers(init.headers);
  headers.set('content-length', String(size));
  return { ...init, headers };
}

/**
 * Returns the response of an error. Caches do not store it, and players on other sites can read it.
 * If a browser requests an image of a suspended bucket, the response is a picture that says so.
 */
export function errorResponse(error: AppError, request?: Request): Response {
  const errorText = renderError(error);
  const isPicture = error.status === 402 && request && wantsImage(request.headers);
  const response = isPicture ? new Response(PLACEHOLDER, errorText) : errorText;
  if (isPicture) response.headers.set('content-type', 'image/svg+xml');
  if (error.status === 402) response.headers.set('vary', 'Accept, Sec-Fetch-Dest');
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.headers.set(name, value);
  return response;
}

const PLACEHOLDER =
  '<svg xmlns="http://www.w3.org/2000/svg" width="320" height="180" viewBox="0 0 320 180" role="img">' +
  '<title>Image unavailable</title><rect width="320" height="180" fill="#e5e8ec"/>' +
  '<text x="160" y="96" fill="#5a6875" font-family="sans-serif" font-size="16" text-anchor="middle">' +
  'Image unavailable</text></svg>';

/**
 * Whether a client requests an image. Browsers say so in Sec-Fetch-Dest; any other client is
 * assumed to if it accepts images but no HTML.
 */
function wantsImage(headers: Headers): boolean {
  const destination = headers.get('sec-fetch-dest');
  if (destination) return destination === 'image';
  const accept = headers.get('accept') ?? '';
  return accept.includes('image/') && !accept.includes('text/html');
}

const versionMismatch = () =>
  new AppError(412, 'other-version', 'The file no longer matches the requested version.');

export const methodNotAllowed = () =>
  new AppError(405, 'wrong-method', 'Only GET and HEAD are allowed here.', {
    allow: 'GET, HEAD, OPTIONS',
  });

/**
 * Waits for the first bytes of a body from another machine. A failure before them can still become
 * an error response, and later only a broken connection. A small body is read completely. Rejects
 * with the error of the stream.
 */
async function startStream(
  stream: ReadableStream<Uint8Array>,
  size: number,
): Promise<Blob | ReadableStream<Uint8Array>> {
  if (size <= MAX_WHOLE_BYTES) return new Blob([await new Response(stream).arrayBuffer()]);
  const reader = stream.getReader();
  let first: Uint8Array | undefined = (await reader.read()).value;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const bytes = first ?? (await reader.read()).value;
        first = undefined;
        if (bytes) controller.enqueue(bytes);
        else controller.close();
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
