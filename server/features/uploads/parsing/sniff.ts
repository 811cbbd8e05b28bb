import { memoizeAsync } from '../../../contract/memoize.ts';
import { joinChunks, keepChunk } from '../../../contract/streams.ts';
import { isToldByBytes, storedContentType } from '../../files/service.ts';

/** How many bytes determine the type of a file. Its name and its declared type are not trusted. */
export const SNIFF_BYTES = 4100;

const IMAGES = new Set(['jpg', 'png', 'apng', 'webp', 'gif']);

/** The formats that are accepted and always delivered as WebP. */
const CONVERTED = new Set(['tif', 'avif', 'heic', 'bmp']);

/** The containers that ffmpeg is allowed to open; see `media/`. */
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

/** The library is loaded with the first upload, so that the server starts sooner. */
const fileType = memoizeAsync(() => import('file-type'));
const findType = async (head: Uint8Array) => (await fileType()).fileTypeFromBuffer(head);

/** The types of the heads that are in use, as an upload asks for its own several times. */
const types = new WeakMap<Uint8Array, ReturnType<typeof findType>>();

function typeOf(head: Uint8Array): ReturnType<typeof findType> {
  const type = types.get(head) ?? findType(head);
  types.set(head, type);
  return type;
}

/** Whether a file with these first bytes is a JPEG, PNG, WebP or GIF. */
export async function looksLikePixels(head: Uint8Array): Promise<boolean> {
  const type = await typeOf(head);
  return type !== undefined && IMAGES.has(type.ext);
}

const mimeTypes = memoizeAsync(() => import('mime-types'));

/** Returns the content type of a file that is stored as it is, by its name and its first bytes. */
export async function plainTypeOf(name: string, head: Uint8Array): Promise<string> {
  const [sniffed, { lookup }] = await Promise.all([typeOf(head), mimeTypes()]);
  return storedContentType(lookup(name), sniffed?.mime, isUtf8Text(head));
}

/** Returns the content type of a file that is stored as it is, where no name can change it; null where one can. */
export async function typeOfBytes(head: Uint8Array): Promise<string | null> {
  const { mime } = (await typeOf(head)) ?? {};
  return mime !== undefined && isToldByBytes(mime) ? mime : null;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what no text has
const BINARY_CHARACTERS = /[\u0000-\u0008\u000e-\u001a\u001c-\u001f]/;

/** Whether the first bytes of a file are text in UTF-8, which may end within a character. */
function isUtf8Text(head: Uint8Array): boolean {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true });
    return !BINARY_CHARACTERS.test(text);
  } catch {
    return false;
  }
}

const TIFF_HEADS = ['II*\0', 'MM\0*'];
const looksLikeTiff = (head: Uint8Array): boolean =>
  TIFF_HEADS.includes(Buffer.from(head.subarray(0, 4)).toString('latin1'));

/** Returns what a file with these first bytes is, in an accepted format or container; null for others. */
export async function mediaTypeOf(head: Uint8Array): Promise<'image' | 'video' | null> {
  // A TIFF's properties are often at its end, without which the library names no type.
  const { ext = looksLikeTiff(head) ? 'tif' : '' } = (await typeOf(head)) ?? {};
  if (IMAGES.has(ext) || CONVERTED.has(ext) || looksLikeSvg(head)) return 'image';
  return VIDEOS.has(ext) || looksLikeTransportStream(head) ? 'video' : null;
}

/** An image or a video, by its first bytes. */
type Media = { type: 'image' | 'video'; contentType: string };

/** Returns what a file with these first bytes is, in an accepted format, and its content type; null for others. */
export async function mediaOf(head: Uint8Array): Promise<Media | null> {
  const type = await mediaTypeOf(head);
  if (!type) return null;
  const { mime = '' } = (await typeOf(head)) ?? {};
  const contentType = mime.startsWith(`${type}/`) ? mime : unnamedTypeOf(type, head);
  return { type, contentType };
}

/** Returns the content type of media for which the library has none of their kind. */
function unnamedTypeOf(type: Media['type'], head: Uint8Array): string {
  if (type === 'image') return looksLikeTiff(head) ? 'image/tiff' : 'image/svg+xml';
  return looksLikeTransportStream(head) ? 'video/mp2t' : 'video/x-ms-asf';
}

/** Bytes of a packet: MPEG-TS by itself, with a time code (M2TS), and with error correction. */
const PACKET_LENGTHS = [188, 192, 204];
const SYNC_BYTE = 0x47;
const MIN_PACKETS = 8;

/**
 * Whether a file is MPEG-TS that may begin inside a packet, as recordings of broadcasts do: a sync byte is
 * at one distance through all of the head. The library only looks at the first packet.
 */
function looksLikeTransportStream(head: Uint8Array): boolean {
  return PACKET_LENGTHS.some((length) => {
    if (head.byteLength < length * MIN_PACKETS) return false;
    for (let start = 0; start < length; start += 1) {
      let at = start;
      while (head[at] === SYNC_BYTE) at += length;
      if (at >= head.byteLength) return true;
    }
    return false;
  });
}

const PROLOG = /\s+|<\?[\s\S]*?\?>|<!--[\s\S]*?-->|<!DOCTYPE[^[>]*(\[[^\]]*\])?[^>]*>/iy;

/**
 * Whether a file is XML with the root element `svg`, after white space, comments and a document
 * type.
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
    keepChunk(chunks, next.value);
    size += next.value.byteLength;
  }
  const head = joinChunks(chunks).subarray(0, maxBytes);
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
    // Nothing is read ahead, because the stream may never be read.
    { highWaterMark: 0 },
  );
  return { head, body: stream };
}
