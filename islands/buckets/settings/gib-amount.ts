import { GIB } from '../../../server/contract/limits.ts';

/** Returns a limit in bytes as the text of its field, in GiB; empty for no limit. */
export const formatGib = (bytes: number | null): string =>
  bytes === null ? '' : String(bytes / GIB);

/**
 * Parses an amount in GiB into bytes, null for no limit. Returns 'invalid' for a text that is no
 * amount above zero.
 */
export function parseGib(text: string): number | null | 'invalid' {
  if (text === '') return null;
  const bytes = Math.round(Number(text) * GIB);
  return bytes >= 1 && Number.isSafeInteger(bytes) ? bytes : 'invalid';
}
