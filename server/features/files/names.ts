import { FILE_NAME_MAX } from '../../contract/limits.ts';

const MAX_SLUG_LENGTH = 60;

/**
 * The user's file name as it is stored and shown: no folder, no control characters, not too long.
 */
export function keptName(name: string | undefined, fallback: string): string {
  const last = (name ?? '').split(/[/\\]/).at(-1) ?? '';
  // Bidirectional overrides would let 'gpj.exe' read as 'exe.jpg'.
  const printable = last
    .normalize('NFC')
    .replace(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '')
    .trim();
  return [...printable].slice(0, FILE_NAME_MAX).join('') || fallback;
}

/** The base name of the delivered object: ASCII letters, digits and dashes. */
export function slugOf(name: string, fallback: string): string {
  const base = name.replace(/\.[^.]*$/, '') || name;
  const slug = base
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_SLUG_LENGTH)
    .replace(/^-+|-+$/g, '');
  return slug || fallback;
}
