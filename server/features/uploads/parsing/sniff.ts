/** The bytes that tell what a file is; names and declared types are never believed. */
export const SNIFF_BYTES = 4100;

const IMAGES = new Set(['jpg', 'png', 'apng', 'webp', 'gif']);

/** Containers that ffmpeg is allowed to open; see `media/`. */
const VIDEOS = new Set([
  'mp4',
  'm4v',
  'mov',
  '3gp',
  '3g2',
  'mkv',
  'webm',
  'avi',
  'flv',
  'mpg',
  'mts',
  'asf',
  'ogv',
  'ogm',
]);

/** Loaded with the first upload: the server starts without it. */
const typeOf = async (head: Uint8Array) => (await import('file-type')).fileTypeFromBuffer(head);

/** Whether a file that starts so is a JPEG, PNG, WebP, GIF or SVG. */
export async function looksLikeImage(head: Uint8Array): Promise<boolean> {
  const type = await typeOf(head);
  if (type && IMAGES.has(type.ext)) return true;
  return looksLikeSvg(head);
}

/** Whether a file that starts so is a video container that is accepted. */
export async function looksLikeVideo(head: Uint8Array): Promise<boolean> {
  const type = await typeOf(head);
  return type !== undefined && VIDEOS.has(type.ext);
}

const PROLOG = /\s+|<\?[\s\S]*?\?>|<!--[\s\S]*?-->|<!DOCTYPE[^[>]*(\[[^\]]*\])?[^>]*>/iy;

/** XML whose root element is `svg`, whatever white space, comments and document type come before it. */
function looksLikeSvg(head: Uint8Array): boolean {
  const text = new TextDecoder().decode(head);
  let start = 0;
  for (;;) {
    PROLOG.lastIndex = start;
    if (!PROLOG.test(text)) break;
    start = PROLOG.lastIndex;
  }
  return /^<([a-z]+:)?svg[\s/>]/i.test(text.slice(start));
}
