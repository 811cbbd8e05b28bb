import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sharp } from 'sharp';
import { rgbaToThumbHash } from 'thumbhash';
import { IMAGE_MAX_PIXELS, SECOND } from '../../server/contract/limits.ts';
import type { Size } from '../../server/contract/media.ts';
import { permanentFailure, temporaryFailure } from '../media-failure.ts';
import { cleanImage, type ImageFormat } from '../strip-metadata/clean-image.ts';
import { type ImageInfo, imageInfo, SVG_MAX_SIDE } from './image-info.ts';
import { sharp } from './sharp.ts';

/** The longest side in pixels that ThumbHash accepts. */
const THUMBHASH_MAX_SIDE = 100;

type ImageWork = {
  /** A local file. */
  source: string;
  /** An existing, empty folder for the result. */
  folder: string;
  /** The name of the result, without extension. */
  baseName: string;
  webp: boolean;
};

type ProcessedImage = Size & {
  /** `{baseName}.{extension}`, the name of the object. */
  entry: string;
  /**
   * The local file. Its name does not come from the user, whose name may be too long or lead to another
   * folder.
   */
  path: string;
  /** In milliseconds; null for a still image. */
  duration: number | null;
  /** The requested WebP would have been larger than the original. */
  kept?: 'original';
  /** In base64. */
  thumbHash: string;
};
type ImageFile = Omit<ProcessedImage, 'thumbHash'>;

const QUALITY = 80;
/** The header of a VP8 frame has 14 bits for each side. */
const WEBP_MAX_SIDE = 16_383;
const ENDINGS: Record<ImageFormat, string> = {
  jpeg: 'jpg',
  png: 'png',
  webp: 'webp',
  gif: 'gif',
  svg: 'svg',
};
const TIMEOUT_SECONDS = 90;

/**
 * Makes the file to deliver from a local image: an upright WebP in sRGB without metadata, or the original
 * with unchanged pixels and without its metadata, also where the WebP would be larger. Every pixel is
 * decoded once in either case, so what is delivered can be displayed. Throws MediaFailure.
 */
export async function makeImage(work: ImageWork): Promise<ProcessedImage> {
  const info = await imageInfo(work.source);
  const result = work.webp ? await makeWebp(work, info) : await makeClean(work, info);
  // A JPEG can be decoded at an eighth of its size, which is faster than reading the result.
  const thumbHashSource = info.format === 'jpeg' ? work.source : result.path;
  return {
    ...result,
    thumbHash: await decoded(thumbHash(openImage(thumbHashSource, { ...info, frames: 1 }))),
  };
}

async function makeWebp(work: ImageWork, info: ImageInfo): Promise<ImageFile> {
  const entry = `${work.baseName}.webp`;
  const image = openImage(work.source, info);
  const side = info.format === 'svg' ? SVG_MAX_SIDE : WEBP_MAX_SIDE;
  if (Math.max(info.width, info.height) > side) {
    image.resize({ width: side, height: side, fit: 'inside', withoutEnlargement: true });
  }
  // sharp drops metadata and converts to sRGB by default.
  const path = join(work.folder, 'image');
  const result = await decoded(image.webp({ quality: QUALITY }).toFile(path));
  if (result.size > Bun.file(work.source).size) {
    await rm(path);
    return { ...(await clean(work, info)), kept: 'original' };
  }
  const height = result.pageHeight ?? result.height;
  return { entry, path, width: result.width, height, duration: info.duration };
}

async function makeClean(work: ImageWork, info: ImageInfo): Promise<ImageFile> {
  await verify(work.source, info);
  return clean(work, info);
}

async function clean(work: ImageWork, info: ImageInfo): Promise<ImageFile> {
  const { format, width, height, orientation, duration } = info;
  const entry = `${work.baseName}.${ENDINGS[format]}`;
  const path = join(work.folder, 'image');
  const deadline = AbortSignal.timeout(TIMEOUT_SECONDS * SECOND);
  await cleanImage(work.source, path, format, orientation, deadline);
  return { entry, path, width, height, duration };
}

/**
 * Decodes the whole image to check it. A JPEG is decoded at an eighth of its size, which finds the same
 * damage.
 */
async function verify(path: string, info: ImageInfo): Promise<void> {
  const image = openImage(path, info);
  const width = Math.max(1, Math.floor(info.width / 8));
  await decoded(
    image.resize({ width, kernel: 'nearest', fastShrinkOnLoad: true }).raw().toBuffer(),
  );
}

/** Opens a local image for decoding: upright, with limits, with all frames of an animation. */
export function openImage(path: string, { format, frames, width, height }: ImageInfo) {
  const shrink = SVG_MAX_SIDE / Math.max(width, height, SVG_MAX_SIDE);
  const image = sharp(path, {
    failOn: 'error',
    limitInputPixels: IMAGE_MAX_PIXELS,
    sequentialRead: true,
    animated: frames > 1,
    ...(format === 'svg' ? { density: Math.max(1, 72 * shrink) } : {}),
  }).timeout({ seconds: TIMEOUT_SECONDS });
  // sharp stacks the frames of an animation in one tall image, which must not be rotated.
  return frames > 1 ? image : image.autoOrient();
}

/** Awaits work of sharp and translates its failures. Throws MediaFailure. */
export async function decoded<Value>(work: Promise<Value>): Promise<Value> {
  try {
    return await work;
  } catch (error) {
    const message = String(error);
    if (/ENOSPC|No space left/.test(message))
      throw temporaryFailure("The server's disk is full.", error);
    if (/timeout/.test(message))
      throw permanentFailure('The image took too long to process.', error);
    throw permanentFailure('The image is damaged or incomplete.', error);
  }
}

/**
 * Returns the ThumbHash (github.com/evanw/thumbhash) of an upright still image in base64. Throws what sharp
 * throws.
 */
export async function thumbHash(image: Sharp): Promise<string> {
  const { data, info } = await image
    .resize(THUMBHASH_MAX_SIDE, THUMBHASH_MAX_SIDE, { fit: 'inside', kernel: 'linear' })
    .toColourspace('srgb')
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return Buffer.from(rgbaToThumbHash(info.width, info.height, data)).toString('base64');
}
