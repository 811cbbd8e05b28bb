import { GIB, LIMIT_MAX_BYTES } from '../../../server/contract/limits.ts';

const GIBIBYTES = /^\d{1,7}(\.\d{1,2})?$/;

/** Returns bytes as a number of GiB with up to two decimals; '' for null. */
export const toGibibytes = (bytes: number | null): string =>
  bytes === null ? '' : String(Math.round((bytes / GIB) * 100) / 100);

/**
 * Parses a number of GiB with up to two decimals into bytes, and an empty text into null. Returns
 * undefined for any other text, and for more than a limit can be.
 */
export function parseGibibytes(text: string): number | null | undefined {
  if (text === '') return null;
  const bytes = GIBIBYTES.test(text) ? Math.round(Number(text) * GIB) : Number.NaN;
  return bytes <= LIMIT_MAX_BYTES ? bytes : undefined;
}
