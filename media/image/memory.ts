import type { Metadata } from 'sharp';
import { MIB } from '../../server/contract/limits.ts';
import type { Size } from '../../server/contract/media.ts';
import { permanentFailure } from '../media-failure.ts';

/* What images take in memory, measured with 25 and 100 megapixels of each format. */

/** What sharp takes for an image of any size. */
const BASE_BYTES = 64 * MIB;
/** libwebp holds a picture with alpha in RGB and in YUV, and its coefficients. */
const WEBP_BYTES_PER_PIXEL = 14;
/** An AVIF is decoded as a whole, and converted to RGB as a whole. */
const AVIF_BYTES_PER_PIXEL = 19;
/** HEIC is decoded tile by tile, each as a whole, in memory that WebAssembly does not return before the end. */
const HEIC_BYTES_PER_PIXEL = 28;
/** GIF and WebP are decoded frame by frame to RGB with alpha, of which a copy is composited. */
const FRAME_BYTES_PER_PIXEL = 8;
const SAMPLE_BYTES: Record<string, number> = { uchar: 1, ushort: 2 };

/** What counts for memory in an image's header. */
type Header = Pick<
  Metadata,
  'format' | 'width' | 'height' | 'channels' | 'depth' | 'isProgressive' | 'orientation'
>;

/**
 * Returns about how many bytes it takes to read an image from its first row to its last. Most formats are
 * read in strips; of some, or to turn them, all pixels are needed at the same time.
 */
export function decodingBytes(header: Header): number {
  const {
    format,
    width,
    height,
    channels,
    depth = 'uchar',
    isProgressive,
    orientation = 1,
  } = header;
  const pixels = width * height;
  const samples = channels * (SAMPLE_BYTES[depth] ?? 4);
  const turned = orientation > 1 ? pixels * samples : 0;
  if (format === 'heif') return BASE_BYTES + pixels * AVIF_BYTES_PER_PIXEL;
  const isByFrame = format === 'gif' || format === 'webp';
  const wholeBytes = isByFrame ? FRAME_BYTES_PER_PIXEL : isProgressive ? samples : 0;
  return BASE_BYTES + pixels * wholeBytes + turned;
}

/** Returns about how many bytes it takes to decode a HEIC image of tiles of that size. */
export const heicBytes = (tile: Size): number =>
  BASE_BYTES + tile.width * tile.height * HEIC_BYTES_PER_PIXEL;

/**
 * Returns about how many bytes it takes to encode an image as WebP, beside reading it. What decodes an AVIF has
 * freed more than that by then.
 */
export const webpBytes = ({ format, width, height, frames }: Encoded): number =>
  format === 'avif' ? 0 : width * height * frames * WEBP_BYTES_PER_PIXEL;

type Encoded = Size & { format: string; frames: number };

/** Throws a permanent MediaFailure where an image needs more than `availableBytes` to be read. */
export function checkMemory(image: { decodingBytes: number }, availableBytes: number): void {
  if (image.decodingBytes > availableBytes) throw tooMuchMemory();
}

export const tooMuchMemory = (cause?: unknown) =>
  permanentFailure('The image needs more memory than this server allows.', cause);

/** What libvips, Emscripten, C++ and Rust say when no memory is left. */
const NO_MEMORY = /out of memory|cannot enlarge memory|failed to allocate|bad_alloc|AllocError/i;
/** The encoders of WebP and AVIF fail by nothing else, and don't always say so. */
const NOT_ENCODED = /webpsave: unable to encode|Encoder plugin generated an error/;

/** Whether an error, or the last words of a process, tell that no memory was left. */
export const isOutOfMemory = (text: string): boolean =>
  NO_MEMORY.test(text) || NOT_ENCODED.test(text);
