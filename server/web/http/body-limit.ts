import { MIB } from '../../contract/limits.ts';
import { tapStream } from '../../contract/streams.ts';
import { tooLarge } from '../../errors.ts';

/** Every body except an upload is a short form or JSON document. */
const MAX_BODY_BYTES = MIB;

/**
 * The calls that read their body as a stream, with limits of their own. Every other body is read
 * into memory as a whole before its route sees it, also where the route needs none: the framework
 * parses the body of a DELETE too.
 */
const STREAMED = [
  ['POST', /^\/files\/(upload\/(file|image|video)|resolution\/video)\/[^/]+\/?$/],
  ['POST', /^\/files\/tus\/[^/]+\/?$/],
  ['PATCH', /^\/files\/tus\/[^/]+\/[^/]+\/?$/],
] as const;

/**
 * Requires that a body which is read into memory is small. One of unknown length, as .NET sends its JSON, is
 * counted while it is read.
 * @param pathname the path of the request, without its query
 * Throws too-large, also later where the body is read.
 */
export function requireSmallBody(request: Request, pathname: string): void {
  const { method, headers } = request;
  if (STREAMED.some(([verb, path]) => verb === method && path.test(pathname))) return;
  const length = headers.get('content-length');
  if (length !== null && Number(length) > MAX_BODY_BYTES) throw bodyTooLarge();
  if (length === null && headers.has('transfer-encoding')) limitReading(request);
}

const bodyTooLarge = () => tooLarge('The body is too large.');

/** Replaces the methods by which the framework reads a body. Bun stops a client whose body nobody reads. */
function limitReading(request: Request): void {
  for (const read of ['arrayBuffer', 'formData', 'json', 'text'] as const) {
    const value = () => new Response(limited(request), { headers: request.headers })[read]();
    Object.defineProperty(request, read, { value });
  }
}

function limited({ body }: Request): ReadableStream<Uint8Array> | null {
  let size = 0;
  const onPiece = (bytes: Uint8Array) => {
    size += bytes.byteLength;
    if (size > MAX_BODY_BYTES) throw bodyTooLarge();
  };
  return body && tapStream(body, { onPiece });
}
