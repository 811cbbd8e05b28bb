import { GIB, LIMIT_MAX_BYTES } from '../../../server/contract/limits.ts';

const DECIMALS = /^\d{1,10}(\.\d{1,2})?$/;

/** Returns bytes as a number of GiB, or of another unit, with up to two decimals; '' for null. */
export const toUnits = (bytes: number | null, unit = GIB): string =>
  bytes === null ? '' : String(Math.round((bytes / unit) * 100) / 100);

/**
 * Parses a number of GiB, or of another unit, with up to two decimals into bytes, and an empty text into null. Returns
 * undefined for any other text, and for more than a limit can be.
 */
export function parseUnits(text: string, unit = GIB): number | null | undefined {
  if (text === '') return null;
  const bytes = DECIMALS.test(text) ? Math.round(Number(text) * unit) : Number.NaN;
  return bytes <= LIMIT_MAX_BYTES ? bytes : undefined;
}
