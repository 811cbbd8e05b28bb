import { Elysia } from 'elysia';
import { MIB } from '../../contract/limits.ts';
import { isFresh, rangeOf } from './conditions.ts';
import { isPlaylist } from './content-types.ts';
import { withToken } from './playlists.ts';
import type { Delivered, Delivery } from './service.ts';

const PUBLIC_CACHE = 'public, max-age=31536000, immutable';
const PRIVATE_CACHE = 'private, no-store';
/** A playlist of ten hours is a tenth of this. */
const PLAYLIST_MAX = 4 * MIB;

/**
 * Nothing uploaded may ever act as a page of this origin, wherever it is opened: an SVG
 * runs no script, loads nothing and reads no storage.
 */
const SAFETY = {
  'x-content-type-options': 'nosniff',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; media-src 'self'; sandbox",
  'cross-origin-resource-policy': 'cross-origin',
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'accept-ranges, content-length, content-range, etag',
};

/** `/cdn/{bucketID}/{fileID}/{name}`, for GET, HEAD and, for players on other sites, OPTIONS. */
export function deliveryRoutes({ delivery }: { delivery: Delivery }) {
  const deliver = async (
    request: Request,
    params: { bucketID: string; fileID: string; '*': string },
  ) => {
    const token = new URL(request.url).searchParams.get('jwt');
    const name = params['*'];
    const delivered = await delivery.open({
      bucketId: params.bucketID,
      fileId: params.fileID,
      name,
      token,
    });
    const rewrites = delivered.isPrivate && token !== null && isPlaylist(name);
    return rewrites ? answerPlaylist(delivered, token) : answerObject(request, delivered);
  };

  const path = '/cdn/:bucketID/:fileID/*';
  return new Elysia()
    .get(path, ({ request, params }) => deliver(request, params))
    .head(path, ({ request, params }) => deliver(request, params))
    .options(
      path,
      () =>
        new Response(null, {
          status: 204,
          headers: {
            'access-control-allow-origin': '*',
            'access-control-allow-methods': 'GET, HEAD',
            'access-control-allow-headers': 'range, if-range, if-none-match, if-modified-since',
            'access-control-max-age': '86400',
          },
        }),
    );
}

function answerObject(
  request: Request,
  { object, contentType, isPrivate, etag }: Delivered,
): Response {
  const headers = new Headers({
    ...SAFETY,
    'content-type': contentType,
    'cache-control': isPrivate ? PRIVATE_CACHE : PUBLIC_CACHE,
    'accept-ranges': 'bytes',
    'last-modified': new Date(object.modifiedAt).toUTCString(),
    // Bun would put the name on our disk here.
    'content-disposition': 'inline',
    etag,
  });
  if (isFresh(request.headers, etag, object.modifiedAt)) {
    return new Response(null, { status: 304, headers });
  }
  const range = rangeOf(request.headers, object.size, etag, object.modifiedAt);
  if (range === 'unsatisfiable') {
    return new Response('The range lies outside of the file.', {
      status: 416,
      headers: {
        'content-type': 'text/plain; charset=utf-8',
        'content-range': `bytes */${object.size}`,
        'cache-control': 'no-store',
      },
    });
  }
  const length = range ? range.end - range.start : object.size;
  if (range) headers.set('content-range', `bytes ${range.start}-${range.end - 1}/${object.size}`);
  headers.set('content-length', String(length));
  // For HEAD too: Bun sends the headers alone, but takes the length from the body.
  return new Response(object.body(range ?? undefined), { status: range ? 206 : 200, headers });
}

/** Rewritten for its token, so it is nobody else's: never cached by anyone. */
async function answerPlaylist(delivered: Delivered, token: string): Promise<Response> {
  const { object, contentType } = delivered;
  if (object.size > PLAYLIST_MAX) throw new Error('a playlist is larger than any we make');
  const text = withToken(await new Response(object.body()).text(), token);
  return new Response(text, {
    headers: {
      ...SAFETY,
      'content-type': contentType,
      'cache-control': PRIVATE_CACHE,
      'content-length': String(Buffer.byteLength(text)),
    },
  });
}
