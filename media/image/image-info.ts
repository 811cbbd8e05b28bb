import { readFile } from 'node:fs/promises';
import type { Metadata } from 'sharp';
import { IMAGE_MAX_PIXELS } from '../../server/contract/limits.ts';
import type { ImageWarning, Size } from '../../server/contract/media.ts';
import { permanentFailure } from '../media-failure.ts';
import { readApng } from '../strip-metadata/apng.ts';
import type { ImageFormat } from '../strip-metadata/clean-image.ts';
import { isTurned } from '../strip-metadata/orientation.ts';
import { decodingBytes, isOutOfMemory, tooMuchMemory } from './memory.ts';
import { isRaster } from './raster.ts';
import { sharp } from './sharp.ts';
import { readSvg } from './svg.ts';
import type { SvgNeed } from './svg-css.ts';

/** What a decoder has made. */
export type DecodedImage = Size & {
  /** The file extension. */
  ending: string;
  /** In milliseconds; null for a still image. */
  duration: number | null;
  /** The requested WebP would have taken too much memory, or have been larger than the original. */
  kept?: 'original';
  /** The upload can't be delivered in its own format, so that its original is worth keeping. */
  isConverted?: true;
  warning?: ImageWarning;
  /** The image declares an orientation. */
  isTurned?: true;
  /** In base64. */
  thumbHash?: string;
};

/**
 * The formats that are always delivered as WebP: browsers show no TIFF, and the metadata of an AVIF can't be
 * removed without encoding it again.
 */
type ConvertedFormat = 'tiff' | 'avif';

export type ImageInfo = Size & {
  /** What sharp opens: the path, or the bytes of an SVG. */
  input: string | Buffer;
  format: ImageFormat | ConvertedFormat;
  /** The EXIF orientation, 1 to 8. Nobody applies one to an animation. */
  orientation: number;
  /**
   * Whether browsers show the file differently than its metadata tells. They ignore the orientation of a WebP,
   * and each has its own colours for CMYK without a profile.
   */
  isShownWrong: boolean;
  hasProfile: boolean;
  /** Whether a channel has more than 8 bits. */
  isDeep: boolean;
  /** What a drawing needs a browser for. */
  svgNeed: SvgNeed | null;
  frames: number;
  /** Milliseconds of one round of an animation; null for a still image. sharp reads one frame of a PNG. */
  duration: number | null;
  /** About how much memory reading it takes. */
  decodingBytes: number;
};

export type CleanableInfo = ImageInfo & { format: ImageFormat };

/** An SVG has no pixels of its own. Larger ones are rendered with this longer side. */
export const SVG_MAX_SIDE = 4096;
const CONVERTED = new Set<string>(['tiff', 'avif'] satisfies ConvertedFormat[]);
const CLEANABLE = new Set<string>(['jpeg', 'png', 'webp', 'gif', 'svg'] satisfies ImageFormat[]);

/** Whether an image can be delivered in its own format; others always become a WebP. */
export const canKeep = (info: ImageInfo): info is CleanableInfo =>
  CLEANABLE.has(info.format) && !info.isShownWrong;
const isConverted = (format: string): format is ConvertedFormat => CONVERTED.has(format);
const isFormat = (text: string): text is ImageInfo['format'] =>
  CLEANABLE.has(text) || isConverted(text);

/**
 * Reads the properties of an image from its header, without decoding it. Width and height are those of one
 * frame after rotation. Throws a permanent MediaFailure for other formats, unreadable headers and too many
 * pixels: a file of half a megabyte can declare 16 GiB of them.
 */
export async function imageInfo(path: string): Promise<ImageInfo> {
  // libvips opens an SVG by its absolute path, which a decoder has no right to walk, so it gets the bytes.
  const drawing = (await isRaster(path)) ? null : readSvg(await readFile(path));
  const input = drawing?.bytes ?? path;
  const metadata = await readMetadata(input);
  const { width, height, delay } = metadata;
  // Of HEIF, this build of libvips reads AVIF only.
  const format = metadata.format === 'heif' ? 'avif' : metadata.format;
  if (!isFormat(format))
    throw permanentFailure(
      'Only JPEG, PNG, WebP, GIF, SVG, AVIF, HEIC, TIFF and BMP images can be used.',
    );
  // Of a TIFF only the first page is used; the others may be scans of other sizes.
  const pages = isConverted(format) ? 1 : (metadata.pages ?? 1);
  if (format !== 'svg') checkPixels({ width, height }, pages);
  const orientation = pages > 1 ? 1 : (metadata.orientation ?? 1);
  return {
    input,
    format,
    ...(pages > 1 ? { width, height } : metadata.autoOrient),
    orientation,
    isShownWrong:
      (format === 'webp' && isTurned(orientation)) ||
      (format === 'jpeg' && metadata.space === 'cmyk' && !metadata.hasProfile),
    hasProfile: metadata.hasProfile,
    isDeep: metadata.depth === 'ushort',
    svgNeed: drawing?.need ?? null,
    frames: pages,
    decodingBytes: decodingBytes(metadata),
    duration:
      pages > 1 && delay ? delay.reduce((sum, one) => sum + one, 0) : pngDuration(path, format),
  };
}

const pngDuration = (path: string, format: string) =>
  format === 'png' ? (readApng(path)?.duration ?? null) : null;

async function readMetadata(input: string | Buffer): Promise<Metadata> {
  try {
    // Our own limit follows right after; it counts frames and has a clearer message.
    return await sharp(input, { limitInputPixels: false }).metadata();
  } catch (error) {
    // That is our fault and not the file's.
    if (String(error).includes('Permission denied')) throw error;
    if (isOutOfMemory(String(error))) throw tooMuchMemory(error);
    throw permanentFailure('The file is not a readable image.', error);
  }
}

/** Throws a permanent MediaFailure for more pixels than an image may have, in all frames together. */
export function checkPixels({ width, height }: Size, frames = 1): void {
  const pixels = width * height * frames;
  if (pixels <= IMAGE_MAX_PIXELS) return;
  const megapixels = Math.ceil(pixels / 1e6).toLocaleString('en');
  const inFrames = frames > 1 ? ` in ${frames.toLocaleString('en')} frames` : '';
  const limit = IMAGE_MAX_PIXELS / 1e6;
  throw permanentFailure(
    `The image has ${megapixels} megapixels${inFrames}; the most allowed is ${limit}.`,
  );
}
