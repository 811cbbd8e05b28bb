import { Elysia } from 'elysia';

/**
 * The calls that pages of other sites may make: nothing below this path is authorised by a cookie. Browsers
 * ask before they send a token with them, in what is called a preflight.
 */
const CROSS_ORIGIN_PATH = '/files/';

/** The headers of our responses that a page may read, beyond those that it may always read. */
const EXPOSED_HEADERS = [
  'Location',
  'Retry-After',
  'Tus-Checksum-Algorithm',
  'Tus-Extension',
  'Tus-Max-Size',
  'Tus-Resumable',
  'Tus-Version',
  'Upload-Defer-Length',
  'Upload-Expires',
  'Upload-Length',
  'Upload-Metadata',
  'Upload-Offset',
  'X-Error-Code',
  'X-File-Id',
  'X-Request-Id',
];

const RESPONSE_HEADERS = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': EXPOSED_HEADERS.join(', '),
};

/** Returns the headers that let pages of other sites read the response to a call. */
export const crossOriginHeaders = (pathname: string): Record<string, string> =>
  pathname.startsWith(CROSS_ORIGIN_PATH) ? RESPONSE_HEADERS : {};

/**
 * Returns what allows a page of another site to make a call. Clients add headers of their own, such as those
 * of a trace, and no header means more in a browser than in a program.
 */
export const preflightHeaders = ({ headers }: Request): Record<string, string> => ({
  'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
  'access-control-allow-headers': headers.get('access-control-request-headers') ?? '*',
  'access-control-max-age': '86400',
  vary: 'Access-Control-Request-Headers',
});

/** Mounts the responses to preflights. */
export const preflightRoutes = () =>
  new Elysia().options(
    '/files/*',
    ({ request }) => new Response(null, { status: 204, headers: preflightHeaders(request) }),
    { detail: { hide: true } },
  );
