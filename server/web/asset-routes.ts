import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Elysia } from 'elysia';
import { notFound, renderError } from '../errors.ts';
import { accepts } from './accept-encoding.ts';
import { assets } from './assets.ts';

/** Preferred first; made beside each text file when it is built. */
const ENCODINGS = [
  { name: 'br', ending: '.br' },
  { name: 'gzip', ending: '.gz' },
];

/**
 * `GET /assets/{file}`: built files, whose names hold their hash, so they never change.
 * Only names that lie in the folder are served; a path is never made from a request.
 */
export function assetRoutes(folder = assets().folder) {
  const names = new Set(readdirSync(folder).filter((name) => name !== 'manifest.json'));

  return new Elysia({ name: 'assets' }).get(
    '/assets/:file',
    ({ params, request }) => {
      const { file } = params;
      if (!names.has(file)) return renderError(notFound('File'));
      const accepted = request.headers.get('accept-encoding');
      const encoding = ENCODINGS.find(
        ({ name, ending }) => accepts(accepted, name) && names.has(file + ending),
      );
      return new Response(Bun.file(join(folder, file + (encoding?.ending ?? ''))), {
        headers: {
          'content-type': Bun.file(file).type,
          'cache-control': 'public, max-age=31536000, immutable',
          'x-content-type-options': 'nosniff',
          vary: 'Accept-Encoding',
          ...(encoding && { 'content-encoding': encoding.name }),
        },
      });
    },
    { detail: { hide: true } },
  );
}
