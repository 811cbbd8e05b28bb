const BINARY = 'application/octet-stream';

/** Content types by the extension of a name: of what is delivered, and of what is uploaded. */
const TYPES: Record<string, string> = {
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  png: 'image/png',
  apng: 'image/apng',
  webp: 'image/webp',
  avif: 'image/avif',
  gif: 'image/gif',
  svg: 'image/svg+xml',
  heic: 'image/heic',
  heif: 'image/heif',
  tif: 'image/tiff',
  tiff: 'image/tiff',
  bmp: 'image/bmp',
  m3u8: 'application/vnd.apple.mpegurl',
  mp4: 'video/mp4',
  m4v: 'video/x-m4v',
  m4s: 'video/iso.segment',
  mov: 'video/quicktime',
  '3gp': 'video/3gpp',
  '3g2': 'video/3gpp2',
  mkv: 'video/x-matroska',
  webm: 'video/webm',
  avi: 'video/x-msvideo',
  flv: 'video/x-flv',
  mpg: 'video/mpeg',
  mpeg: 'video/mpeg',
  mts: 'video/mp2t',
  ts: 'video/mp2t',
  wmv: 'video/x-ms-wmv',
  ogv: 'video/ogg',
  vtt: 'text/vtt; charset=utf-8',
};

/**
 * Returns the content type of an object. An unknown extension is binary, so that no browser runs
 * it.
 */
export function contentTypeOf(name: string): string {
  return TYPES[name.slice(name.lastIndexOf('.') + 1).toLowerCase()] ?? BINARY;
}

/**
 * Returns the content type of an upload. Its name is only believed where it agrees with what the first bytes
 * are: a video whose name ends in '.png' is binary.
 */
export function uploadedContentType(name: string, sniffed: 'image' | 'video'): string {
  const type = contentTypeOf(name);
  return type.startsWith(`${sniffed}/`) ? type : BINARY;
}

/** Types whose files begin with known bytes, so that a file without them is something else. */
const BEGIN_WITH_KNOWN_BYTES = /^(image|audio|video|font)\/(?!svg)|^application\/(pdf|zip|gzip)$/;
/** Types of which many others are made, of which only the name tells which. */
const GENERAL_TYPES: Record<string, RegExp> = {
  'application/zip': /^application\//,
  'application/x-cfb': /^application\//,
  'application/xml': /xml/,
};

/** Whether the first bytes of a file alone say what it is, whatever its name will be. */
export const isToldByBytes = (sniffed: string): boolean => !Object.hasOwn(GENERAL_TYPES, sniffed);

/**
 * Returns the content type of a file that is stored as it is. Its first bytes decide where they tell; else its name
 * does, but never for more than a text can be.
 * @param named the type of the name's extension; false where that is unknown
 * @param sniffed the type that the first bytes tell; undefined where they tell none
 * @param isText whether the first bytes are text in UTF-8
 */
export function storedContentType(
  named: string | false,
  sniffed: string | undefined,
  isText: boolean,
): string {
  const isPossible = named && !BEGIN_WITH_KNOWN_BYTES.test(named);
  if (sniffed !== undefined) {
    return isPossible && GENERAL_TYPES[sniffed]?.test(named) ? named : sniffed;
  }
  const type = isPossible ? named : isText ? 'text/plain' : BINARY;
  return isText && type.startsWith('text/') ? `${type}; charset=utf-8` : type;
}
