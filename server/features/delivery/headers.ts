import type { Region } from '../../contract/regions.ts';
import type { Access, FileType } from '../../contract/wire.ts';

const CACHE: Record<Access, string> = {
  public: 'public, max-age=31536000, immutable',
  private: 'private, no-store',
};

/** What a delivered name's ending is served as. */
const TYPES: Record<string, string> = {
  jpg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
  avif: 'image/avif',
  gif: 'image/gif',
  svg: 'image/svg+xml',
  m3u8: 'application/vnd.apple.mpegurl',
  mp4: 'video/mp4',
  m4s: 'video/iso.segment',
  vtt: 'text/vtt; charset=utf-8',
};

/** Names of files may have no more bytes than this on most systems; it also bounds the header. */
const NAME_BYTES = 255;
/**
 * Would end the header or the quotes, change the order of what people read, or lead to a folder.
 */
const UNSAFE = /[\p{Cc}\p{Cs}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069/\\]/gu;
/** What every browser reads alike between quotes: no '%', which some decode there. */
const NON_ASCII = /[^\x20-\x7e]|["%]/gu;

/**
 * Of every answer, refusals too. Nothing uploaded may ever act as a page of this origin, wherever
 * it is opened: an SVG runs no script, loads nothing and reads no storage. Pages of other sites
 * may show, read and time what is public; what is private they need the token for.
 */
export const SAFETY = {
  'x-content-type-options': 'nosniff',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; media-src 'self'; sandbox",
  'cross-origin-resource-policy': 'cross-origin',
  'access-control-allow-origin': '*',
  'access-control-expose-headers':
    'accept-ranges, content-disposition, content-length, content-range, etag, retry-after, x-error-code',
  'timing-allow-origin': '*',
};

/** What the headers of an object's answer tell of its file. */
export type Subject = {
  file: {
    id: string;
    bucket_id: string;
    region: Region | null;
    name: string;
    file_type: FileType;
    access: Access;
    entry: string | null;
  };
  /** The object's name below the file. */
  name: string;
};

/** What all forms of an object have in common. */
export function subjectHeaders({ file, name }: Subject) {
  // A CDN purges a file or a bucket by these; each of them reads one of the two.
  const tags = `${file.bucket_id},${file.id}`;
  return {
    ...SAFETY,
    'content-type': contentTypeOf(name),
    'cache-control': CACHE[file.access],
    'accept-ranges': 'bytes',
    // Without it Bun would put the name on our disk here.
    'content-disposition': contentDisposition('inline', deliveredName(file, name)),
    'cache-tag': tags,
    'cdn-tag': tags,
  };
}

/** For players on other sites, which ask before they send a Range. */
export const answerPreflight = () =>
  new Response(null, {
    status: 204,
    headers: {
      ...SAFETY,
      'access-control-allow-methods': 'GET, HEAD',
      'access-control-allow-headers':
        'range, if-range, if-match, if-none-match, if-modified-since, if-unmodified-since',
      'access-control-max-age': '86400',
    },
  });

/** Never what a browser would run: an ending that nothing of ours has is bytes. */
export function contentTypeOf(name: string): string {
  return TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
}

/** Playlists and cues name other objects, which a private file's need the token on. */
export const isPlaylist = (name: string): boolean => name.endsWith('.m3u8');
export const isCues = (name: string): boolean => name.endsWith('.vtt');

/** What packs to a fraction: names over and over. */
export const isText = (name: string): boolean => isPlaylist(name) || isCues(name);

/**
 * `Content-Disposition` with a user's file name (RFC 6266): in quotes as far as it is plain ASCII,
 * and where that is not all of it, whole in UTF-8 as well (RFC 8187), which browsers prefer.
 */
export function contentDisposition(type: 'inline' | 'attachment', name: string): string {
  const safe = shortened(name.replace(UNSAFE, '_'));
  const ascii = safe.replace(NON_ASCII, '_');
  const quoted = `${type}; filename="${ascii}"`;
  return ascii === safe ? quoted : `${quoted}; filename*=UTF-8''${extended(safe)}`;
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
  let prefix = '';
  for (const character of base) {
    room -= Buffer.byteLength(character);
    if (room < 0) break;
    prefix += character;
  }
  return prefix + ending;
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
