/** Names of files may have no more bytes than this on most systems; it also bounds the header. */
const NAME_BYTES = 255;
/** Would end the header or the quotes, change the order of what people read, or lead to a folder. */
const UNSAFE = /[\p{Cc}\p{Cs}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069/\\]/gu;
/** What every browser reads alike between quotes: no '%', which some decode there. */
const NOT_PLAIN = /[^\x20-\x7e]|["%]/gu;

/**
 * `Content-Disposition` with a user's file name (RFC 6266): in quotes as far as it is plain ASCII,
 * and where that is not all of it, whole in UTF-8 as well (RFC 8187), which browsers prefer.
 */
export function contentDisposition(type: 'inline' | 'attachment', name: string): string {
  const safe = shortened(name.replace(UNSAFE, '_'));
  const plain = safe.replace(NOT_PLAIN, '_');
  const quoted = `${type}; filename="${plain}"`;
  return plain === safe ? quoted : `${quoted}; filename*=UTF-8''${extended(safe)}`;
}

/** What `encodeURIComponent` leaves and an extended value may not hold: ' ( ) and *. */
const extended = (name: string) =>
  encodeURIComponent(name).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** Cut in front of the ending, never inside of a character. */
function shortened(name: string): string {
  const dot = name.lastIndexOf('.');
  const [base, ending] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ''];
  let room = NAME_BYTES - Buffer.byteLength(ending);
  let kept = '';
  for (const character of base) {
    room -= Buffer.byteLength(character);
    if (room < 0) break;
    kept += character;
  }
  return kept + ending;
}

/**
 * What a download of an object is called: the user's name with the ending of what is delivered.
 * Objects beside the one that a viewer opens first say which they are: 'clip-poster.webp'.
 * @param file.name as it was uploaded @param file.entry the object that is opened first
 * @param object the object's name below the file
 */
export function deliveredName(
  file: { name: string; entry: string | null },
  object: string,
): string {
  const base = file.name.replace(/(?<=.)\.[^.]*$/u, '');
  if (object !== file.entry) return `${base}-${object.replaceAll('/', '-')}`;
  return base + object.slice(object.lastIndexOf('.'));
}
