import type { FileType } from '../../contract/wire.ts';
import { isProcessed } from '../files/service.ts';

/** Most file systems allow no longer names, and the limit also bounds the header. */
const MAX_NAME_BYTES = 255;
/** Characters that would end the header, change the reading direction, or name another folder. */
const UNSAFE = /[\p{Cc}\p{Cs}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069/\\]/gu;
/** Characters that browsers read differently between quotes, such as '%', which some decode. */
const NON_ASCII = /[^\x20-\x7e]|["%]/gu;

/**
 * Returns `Content-Disposition` with a user's file name (RFC 6266). A name that is not plain ASCII
 * is sent twice: in quotes with replacements, and in UTF-8 (RFC 8187), which browsers prefer.
 */
export function contentDisposition(type: 'inline' | 'attachment', name: string): string {
  const safe = shortened(name.replace(UNSAFE, '_'));
  const ascii = safe.replace(NON_ASCII, '_');
  const quoted = `${type}; filename="${ascii}"`;
  return ascii === safe ? quoted : `${quoted}; filename*=UTF-8''${extended(safe)}`;
}

/**
 * Escapes also ' ( ) and *, which encodeURIComponent leaves but an extended value may not contain.
 */
const extended = (name: string) =>
  encodeURIComponent(name).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** Shortens a name before its extension, without cutting a character in two. */
function shortened(name: string): string {
  const dot = name.lastIndexOf('.');
  const [base, ending] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ''];
  let room = MAX_NAME_BYTES - Buffer.byteLength(ending);
  let prefix = '';
  for (const character of base) {
    room -= Buffer.byteLength(character);
    if (room < 0) break;
    prefix += character;
  }
  return prefix + ending;
}

/**
 * Returns the file name of a download: the user's name with the extension of the delivered object.
 * Other objects than the file's entry have their own name added, such as 'clip-poster.webp'.
 * @param file.name as it was uploaded @param file.entry the object that is opened first
 * @param object the object's name below the file
 */
export function deliveredName(
  file: { name: string; entry: string | null; file_type: FileType },
  object: string,
): string {
  if (!isProcessed(file)) return file.name;
  const base = file.name.replace(/(?<=.)\.[^.]*$/u, '');
  if (object !== file.entry) return `${base}-${object.replaceAll('/', '-')}`;
  return base + object.slice(object.lastIndexOf('.'));
}
