import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sharp } from 'sharp';
import { rgbaToThumbHash } from 'thumbhash';
import { IMAGE_MAX_PIXELS } from '../../server/contract/limits.ts';
import type { Size } from '../../server/contract/media.ts';
import { permanentFailure, temporaryFailure } from '../media-failure.ts';
import { cleanImage, type ImageFormat } from '../strip-metadata/clean.ts';
import { type ImageInfo, imageInfo, SVG_MAX_SIDE } from './image-info.ts';
import { sharp } from './sharp.ts';

/** The longest side, in pixels, that ThumbHash takes. */
const THUMBHASH_MAX_SIDE = 100;

type ImageWork = {
  /** Local file. */
  source: string;
  /** Existing, empty folder for what is made. */
  folder: string;
  /** Name of the result, without ending. */
  baseName: string;
  webp: boolean;
};

type MadeImage = Size & {
  /** `{baseName}.{ending}`, the name to deliver it by. */
  entry: string;
  /** The local file; its name is ours, for a user's may be too long or lead elsewhere. */
  path: string;
  /** Milliseconds; null for a still image. */
  duration: number | null;
  /** A WebP was asked for, but would have been larger than the original. */
  kept?: 'original';
  /** In base64. */
  thumbHash: string;
};
type Made = Omit<MadeImage, 'thumbHash'>;

const QUALITY = 80;
/** VP8's frame header has 14 bits for each side. */
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
 * Makes the file to deliver of a local image: a WebP, upright, in sRGB, without metadata; or the
 * original without its metadata, its pixels untouched, which is also what comes of a WebP that
 * would be larger. Either way every pixel is decoded once, so what is delivered can be shown.
 * Throws MediaFailure.
 */
export async function makeImage(work: ImageWork): Promise<MadeImage> {
  const info = await imageInfo(work.source);
  const made = work.webp ? await makeWebp(work, info) : await makeClean(work, info);
  // A JPEG is decoded at an eighth of its size for it, which nothing else is as quick as.
  const seen = info.format === 'jpeg' ? work.source : made.path;
  return { ...made, thumbHash: await decoded(thumbHash(openImage(seen, { ...info, frames: 1 }))) };
}

async function makeWebp(work: ImageWork, info: ImageInfo): Promise<Made> {
  const entry = `${work.baseName}.webp`;
  const image = openImage(work.source, info);
  const side = info.format === 'svg' ? SVG_MAX_SIDE : WEBP_MAX_SIDE;
  if (Math.max(info.width, info.height) > side) {
    image.resize({ width: side, height: side, fit: 'inside', withoutEnlargement: true });
  }
  // sharp drops metadata and converts to sRGB unless told to keep them.
  const path = join(work.folder, 'image');
  const made = await decoded(image.webp({ quality: QUALITY }).toFile(path));
  if (made.size > Bun.file(work.source).size) {
    await rm(path);
    return { ...clean(work, info), kept: 'original' };
  }
  const height = made.pageHeight ?? made.height;
  return { entry, path, width: made.width, height, duration: info.duration };
}

async function makeClean(work: ImageWork, info: ImageInfo): Promise<Made> {
  await verify(work.source, info);
  return clean(work, info);
}

function clean(work: ImageWork, info: ImageInfo): Made {
  const { format, width, height, orientation, duration } = info;
  const entry = `${work.baseName}.${ENDINGS[format]}`;
  const path = join(work.folder, 'image');
  cleanImage(work.source, path, format, orientation);
  return { entry, path, width, height, duration };
}

/** Decodes everything and keeps nothing: a JPEG at an eighth of its size, which finds as much. */
async function verify(path: string, info: ImageInfo): Promise<void> {
  const image = openImage(path, info);
  const width = Math.max(1, Math.floor(info.width / 8));
  await decoded(
    image.resize({ width, kernel: 'nearest', fastShrinkOnLoad: true }).raw().toBuffer(),
  );
}

/** A local image as it is to be decoded: upright, with limits, all frames of an animation. */
export function openImage(path: string, { format, frames, width, height }: ImageInfo) {
  const shrink = SVG_MAX_SIDE / Math.max(width, height, SVG_MAX_SIDE);
  const image = sharp(path, {
    failOn: 'error',
    limitInputPixels: IMAGE_MAX_PIXELS,
    sequentialRead: true,
    animated: frames > 1,
    ...(format === 'svg' ? { density: Math.max(1, 72 * shrink) } : {}),
  }).timeout({ seconds: TIMEOUT_SECONDS });
  // Frames of an animation lie below each other in one image, which must not be turned.
  return frames > 1 ? image : image.autoOrient();
}

/** Tells what a failure of sharp means. Throws MediaFailure. */
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
 * The ThumbHash (github.com/evanw/thumbhash) of an upright still image that is yet to be decoded,
 * in base64. Throws what sharp throws.
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
