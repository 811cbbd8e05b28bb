import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Elysia } from 'elysia';
import { notFound, rangeOutside, renderError } from '../../errors.ts';
import { isFresh, rangeOf } from '../http/conditional-requests.ts';
import { accepts } from '../http/content-negotiation.ts';
import { assets } from './assets.ts';

/**
 * The encodings of compressed copies, which the build creates beside each text file; the preferred
 * first.
 */
const ENCODINGS = [
  { name: 'br', ending: '.br' },
  { name: 'gzip', ending: '.gz' },
];

/**
 * Mounts `GET /assets/{file}`, which serves built files. Their names contain a hash, so they never
 * change. Only names from the listing of the folder are served, so that no request can name another
 * path.
 */
export function assetRoutes(folder = assets().folder) {
  const names = filesBelow(folder);

  return new Elysia({ name: 'assets' }).get(
    '/assets/*',
    ({ params, request }) => {
      const file = params['*'];
      if (!names.has(file)) return renderError(notFound('File'));
      const accepted = request.headers.get('accept-encoding');
      const encoding = ENCODINGS.find(
        ({ name, ending }) => accepts(accepted, name) && names.has(file + ending),
      );
      const variant = file + (encoding?.ending ?? '');
      return respond(request, join(folder, variant), {
        'content-type': Bun.file(file).type,
        'cache-control': 'public, max-age=31536000, immutable',
        'x-content-type-options': 'nosniff',
        // The page that draws PDFs has no origin, and modules are loaded with CORS.
        'access-control-allow-origin': '*',
        // Without this header Bun would send the name of the file on the disk with its '.br' or
        // '.gz'.
        'content-disposition': 'inline',
        'accept-ranges': 'bytes',
        etag: `"${variant}"`,
        vary: 'Accept-Encoding',
        ...(encoding && { 'content-encoding': encoding.name }),
      });
    },
    { detail: { hide: true } },
  );
}

function filesBelow(folder: string): Set<string> {
  const all = readdirSync(folder, { recursive: true }).map(String);
  return new Set(
    all.filter((name) => name !== 'manifest.json' && statSync(join(folder, name)).isFile()),
  );
}

/**
 * Responds with a file or the requested range, because Bun ignores ranges of files inside the
 * binary.
 */
function respond(
  request: Request,
  path: string,
  headers: Record<string, string> & { etag: string },
) {
  const file = Bun.file(path);
  const version = { etag: headers.etag, modifiedAt: null };
  if (isFresh(request.headers, version)) return new Response(null, { status: 304, headers });
  if (!request.headers.has('range')) return new Response(file, { headers });
  const range = rangeOf(request, file.size, version);
  if (range === null) return new Response(file, { headers });
  if (range === 'unsatisfiable') return renderError(rangeOutside(file.size));
  const { start, end } = range;
  return new Response(file.slice(start, end), {
    status: 206,
    headers: { ...headers, 'content-range': `bytes ${start}-${end - 1}/${file.size}` },
  });
}
