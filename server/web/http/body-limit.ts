import { MIB } from '../../contract/limits.ts';
import { AppError, tooLarge } from '../../errors.ts';

/** Every body except an upload is a short form or JSON document. */
const MAX_BODY_BYTES = MIB;

/**
 * The calls that read their body as a stream, with limits of their own. Every other body is read
 * into memory as a whole before its route sees it, also where the route needs none: the framework
 * parses the body of a DELETE too.
 */
const STREAMED = [
  ['POST', /^\/files\/(upload\/(image|video)|resolution\/video)\/[^/]+$/],
  ['POST', /^\/files\/tus\/[^/]+$/],
  ['PATCH', /^\/files\/tus\/[^/]+\/[^/]+$/],
] as const;

/**
 * Requires that a body which is read into memory is small, and says how long it is.
 * @param pathname the path of the request, without its query
 * Throws too-large (413), and length-required (411, RFC 9110 section 15.5.12) for a chunked body.
 */
export function requireSmallBody({ method, headers }: Request, pathname: string): void {
  if (STREAMED.some(([verb, path]) => verb === method && path.test(pathname))) return;
  const length = headers.get('content-length');
  if (length !== null && Number(length) > MAX_BODY_BYTES) throw tooLarge('The body is too large.');
  if (length === null && headers.has('transfer-encoding')) {
    throw new AppError(411, 'length-required', 'The Content-Length header is required.');
  }
}
