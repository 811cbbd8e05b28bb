import { type AppError, unsupportedType } from '../../../errors.ts';

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

/**
 * XML whose root element is `svg`, whatever white space, comments and document type come before it.
 */
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

/**
 * Reads the first `maxBytes` bytes of a body, or all of a shorter one, and gives them back with
 * the whole body as a stream, those bytes included.
 */
export async function peekStream(
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<{ head: Uint8Array; body: ReadableStream<Uint8Array> }> {
  const source = body[Symbol.asyncIterator]();
  const chunks: Uint8Array[] = [];
  let size = 0;
  while (size < maxBytes) {
    const next = await source.next();
    if (next.done) break;
    chunks.push(next.value);
    size += next.value.byteLength;
  }
  const head = Buffer.concat(chunks).subarray(0, maxBytes);
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const buffered = chunks.shift();
        if (buffered) return controller.enqueue(buffered);
        const next = await source.next();
        if (next.done) controller.close();
        else controller.enqueue(next.value);
      },
      async cancel() {
        await source.return?.();
      },
    },
    // Nothing is read ahead of whoever reads this, who may never come.
    { highWaterMark: 0 },
  );
  return { head, body: stream };
}

const videoWay = (bucketId: string) => `use Upload Video, or POST /files/upload/video/${bucketId}.`;
const imageWay = (bucketId: string) => `use Upload Image, or POST /files/upload/image/${bucketId}.`;

/** What the image call answers to a file that starts so, which is none; a video is told its way. */
export async function notAnImage(head: Uint8Array, bucketId: string): Promise<AppError> {
  const text = 'The file is not a JPEG, PNG, WebP, GIF or SVG image.';
  const isVideo = await looksLikeVideo(head);
  return unsupportedType(isVideo ? `${text} It is a video: ${videoWay(bucketId)}` : text);
}

/**
 * What the video calls answer to a file that starts so, which is none; an image is told its way.
 */
export async function notAVideo(head: Uint8Array, bucketId: string): Promise<AppError> {
  const text = "This video format isn't supported.";
  const isImage = await looksLikeImage(head);
  return unsupportedType(isImage ? `${text} It is an image: ${imageWay(bucketId)}` : text);
}

/** What the image call answers to a form whose size alone says that there is no image in it. */
export const tooLargeForImage = (bucketId: string): string =>
  `Images can be at most 50 MiB. For a video, ${videoWay(bucketId)}`;
