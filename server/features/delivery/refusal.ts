import { AppError, renderError } from '../../errors.ts';
import { SAFETY } from './headers.ts';

/** Why something is not delivered, kept by no cache; a player on another site can read it. */
export function refuse(error: AppError): Response {
  const response = renderError(error);
  for (const [name, value] of Object.entries(SAFETY)) response.headers.set(name, value);
  return response;
}

export const rangeOutside = (size: number) =>
  new AppError(416, 'range-outside', 'The range lies outside of the file.', {
    'content-range': `bytes */${size}`,
  });

export const otherVersion = () =>
  new AppError(412, 'other-version', 'The file is another version than the one asked for.');

export const wrongMethod = () =>
  new AppError(405, 'wrong-method', 'Files are read here by GET and HEAD.', {
    allow: 'GET, HEAD, OPTIONS',
  });
