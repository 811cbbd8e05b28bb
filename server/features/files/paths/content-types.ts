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
