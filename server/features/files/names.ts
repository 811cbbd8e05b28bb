import { FILE_NAME_MAX } from '../../contract/limits.ts';

const MAX_SLUG_LENGTH = 60;

/**
 * Returns a user's file name without folders and control characters, shortened to what is stored.
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

/** Returns the name of the object of a file that is delivered as it was uploaded. */
export function objectNameOf(name: string): string {
  const extension = /\.([a-z0-9]{1,16})$/i.exec(name)?.[1]?.toLowerCase() ?? 'bin';
  return `${slugOf(name, 'file')}.${extension}`;
}

/**
 * Returns the base name of the delivered object, which has only ASCII letters, digits and dashes.
 */
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
