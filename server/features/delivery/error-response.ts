import { AppError, renderError } from '../../errors.ts';
import { SAFETY } from './headers/headers.ts';

/**
 * Why something is not delivered, kept by no cache; a player on another site can read it. Where an
 * image was asked for, what has not been paid for is a picture that says so.
 */
export function errorResponse(error: AppError, request?: Request): Response {
  const plain = renderError(error);
  const isPicture = error.status === 402 && request && wantsImage(request.headers);
  const response = isPicture ? new Response(PLACEHOLDER, plain) : plain;
  if (isPicture) response.headers.set('content-type', 'image/svg+xml');
  if (error.status === 402) response.headers.set('vary', 'Accept, Sec-Fetch-Dest');
  for (const [name, value] of Object.entries(SAFETY)) response.headers.set(name, value);
  return response;
}

const PLACEHOLDER =
  '<svg xmlns="http://www.w3.org/2000/svg" width="320" height="180" viewBox="0 0 320 180" role="img">' +
  '<title>Image unavailable</title><rect width="320" height="180" fill="#e5e8ec"/>' +
  '<text x="160" y="96" fill="#5a6875" font-family="sans-serif" font-size="16" text-anchor="middle">' +
  'Image unavailable</text></svg>';

/** A browser says what it asks for; of others, who takes images and no page is taken to want one. */
function wantsImage(headers: Headers): boolean {
  const destination = headers.get('sec-fetch-dest');
  if (destination) return destination === 'image';
  const accept = headers.get('accept') ?? '';
  return accept.includes('image/') && !accept.includes('text/html');
}

export const versionMismatch = () =>
  new AppError(412, 'other-version', 'The file no longer matches the requested version.');

export const methodNotAllowed = () =>
  new AppError(405, 'wrong-method', 'Only GET and HEAD are allowed here.', {
    allow: 'GET, HEAD, OPTIONS',
  });
