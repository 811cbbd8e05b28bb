import { rename, rm } from 'node:fs/promises';
import type { Sharp } from 'sharp';
import { rgbaToThumbHash } from 'thumbhash';
import { IMAGE_MAX_PIXELS, SECOND } from '../../server/contract/limits.ts';
import type { ImageWarning } from '../../server/contract/media.ts';
import { cleanImage, type ImageFormat } from '../strip-metadata/clean-image.ts';
import { isTurned } from '../strip-metadata/orientation.ts';
import { isDamaged } from '../strip-metadata/random-access.ts';
import { withDeclaredColours } from './declared-colours.ts';
import { decoded } from './decoded.ts';
import { mayBeGraphics } from './graphics.ts';
import { withReadable } from './heic/with-readable.ts';
import type { DecodedImage } from './image-info.ts';
import {
  type CleanableInfo,
  canKeep,
  type ImageInfo,
  imageInfo,
  SVG_MAX_SIDE,
} from './image-info.ts';
import { checkMemory, tooMuchMemory, webpBytes } from './memory.ts';
import { isRepairable, repairImage } from './repair-image.ts';
import { sharp } from './sharp.ts';

/**
 * The longest side in pixels of what a ThumbHash is computed from. It has seven frequencies in four bits
 * each, so more pixels change nothing that can be seen, but 100, the most that it accepts, take 17 times as
 * long.
 */
const THUMBHASH_SIDE = 24;

type ImageWork = {
  /** A local file. */
  source: string;
  /** The new local file for the result. */
  path: string;
  webp: boolean;
  /** Bytes of memory that it may take; any number without it. */
  memoryBytes?: number;
};

type ImageFile = Omit<DecodedImage, 'thumbHash'>;
type HashedImage = ImageFile & { thumbHash: string };

const QUALITY = 80;
const CLEAN_TIMEOUT_MS = 90 * SECOND;
/** The header of a VP8 frame has 14 bits for each side. */
const WEBP_MAX_SIDE = 16_383;
const ENDINGS: Record<ImageFormat, string> = {
  jpeg: 'jpg',
  png: 'png',
  webp: 'webp',
  gif: 'gif',
  svg: 'svg',
};

/**
 * Makes the file to deliver from a local image: an upright WebP in sRGB without metadata, or the original
 * with unchanged pixels and without its metadata, also where the WebP would be larger, can't be as long, or
 * needs more memory than is available. What browsers don't show as it is meant, such as a TIFF, always becomes
 * a WebP. Every pixel is decoded once in either case, so what is delivered can be displayed. Of an image that
 * is damaged, what can be read is taken. Throws MediaFailure.
 */
export const makeImage = (work: ImageWork): Promise<HashedImage> =>
  withReadable(work.source, work.memoryBytes ?? Number.POSITIVE_INFINITY, async (source, about) => {
    const image = await makeFromReadable({ ...work, source });
    return about.isDamaged ? { ...image, warning: 'damaged' } : image;
  });

async function makeFromReadable(work: ImageWork): Promise<HashedImage> {
  const info = await imageInfo(work.source);
  try {
    return await withDeclaredColours(work.source, info, (clear) => make(work, clear));
  } catch (error) {
    if (!isDamaged(error) || !isRepairable(info)) throw error;
    return makeRepaired(work, info);
  }
}

async function make(work: ImageWork, info: ImageInfo): Promise<HashedImage> {
  const { memoryBytes = Number.POSITIVE_INFINITY } = work;
  checkMemory(info, memoryBytes);
  const canBeWebp = info.decodingBytes + webpBytes(info) <= memoryBytes;
  if (!canKeep(info)) {
    if (canBeWebp) return makeWebp(work, info);
    throw tooMuchMemory();
  }
  if (work.webp && canBeWebp) return makeWebp(work, info);
  const image = await makeClean(work, info);
  return work.webp ? { ...image, kept: 'original' } : image;
}

async function makeRepaired(work: ImageWork, info: ImageInfo): Promise<HashedImage> {
  const source = `${work.source}-repaired`;
  try {
    await repairImage(work.source, source, info, AbortSignal.timeout(CLEAN_TIMEOUT_MS));
    await rm(work.path, { force: true });
    const still = { ...info, input: source, frames: 1, duration: null };
    const image = await withDeclaredColours(source, still, (clear) =>
      make({ ...work, source }, clear),
    );
    return { ...image, warning: 'damaged' };
  } finally {
    await rm(source, { force: true });
  }
}

async function makeWebp(work: ImageWork, info: ImageInfo): Promise<HashedImage> {
  const { path } = work;
  const { format } = info;
  const lost = canKeep(info) && lostAsWebp(info);
  if (lost) return { ...(await makeClean(work, info)), kept: 'original', warning: lost };
  const side = format === 'svg' ? SVG_MAX_SIDE : WEBP_MAX_SIDE;
  const isTooLong = Math.max(info.width, info.height) > side;
  const box = { width: side, height: side, fit: 'inside', withoutEnlargement: true } as const;
  // sharp drops metadata and converts to sRGB by default.
  const open = () => (isTooLong ? openImage(info).resize(box) : openImage(info));
  const isGraphics = await mayBeGraphics(info, () => openImage(info));
  const result = await encodeWebp(open, isGraphics, path);
  if (canKeep(info) && result.size > Bun.file(work.source).size) {
    await rm(path);
    return {
      ...(await clean(work, info)),
      kept: 'original',
      thumbHash: await hashOf(info),
    };
  }
  const { width, pageHeight: height = result.height } = result;
  // A JPEG can be decoded at an eighth of its size, which is faster than reading the result.
  const hashed = format === 'jpeg' ? info : { ...info, input: path };
  return {
    ...{ ending: 'webp', width, height, duration: info.duration },
    thumbHash: await hashOf(hashed),
    ...(!canKeep(info) && { isConverted: true as const }),
    ...(isTooLong && format !== 'svg' && { warning: 'shrunk-for-webp' as const }),
  };
}

/**
 * Encodes a WebP. Of what may be graphics a lossless one is often smaller, and it is sharper, so it is kept unless
 * the lossy one is smaller. It takes more memory, so the lossy one alone decides whether the image can be encoded.
 */
async function encodeWebp(open: () => Sharp, isGraphics: boolean, path: string) {
  const lossy = () => decoded(open().webp({ quality: QUALITY }).toFile(path));
  if (!isGraphics) return lossy();
  const exactPath = `${path}-lossless`;
  try {
    const exact = await decoded(open().webp({ lossless: true }).toFile(exactPath)).catch(
      () => null,
    );
    const result = await lossy();
    if (!exact || exact.size > result.size) return result;
    await rename(exactPath, path);
    return exact;
  } finally {
    await rm(exactPath, { force: true });
  }
}

/** Returns why an image that can be kept is, although WebP is requested; null where a WebP shows all of it. */
function lostAsWebp({ format, svgNeed, duration, width, height }: ImageInfo): ImageWarning | null {
  if (svgNeed) return `svg-${svgNeed}`;
  // sharp reads one frame.
  if (format === 'png' && duration !== null) return 'animated-png';
  return format !== 'svg' && Math.max(width, height) > WEBP_MAX_SIDE ? 'too-long-for-webp' : null;
}

async function makeClean(work: ImageWork, info: CleanableInfo): Promise<HashedImage> {
  if (info.frames > 1) await verify(info);
  // This decodes all of a still image.
  const thumbHash = await hashOf(info);
  const image = { ...(await clean(work, info)), thumbHash };
  return info.svgNeed === 'undrawable' ? { ...image, warning: 'svg-undrawable' } : image;
}

const hashOf = (info: ImageInfo): Promise<string> =>
  decoded(thumbHash(openImage({ ...info, frames: 1 })));

async function clean(work: ImageWork, info: CleanableInfo): Promise<ImageFile> {
  const { format, width, height, orientation, duration } = info;
  const deadline = AbortSignal.timeout(CLEAN_TIMEOUT_MS);
  await cleanImage(work.source, work.path, format, orientation, deadline);
  return {
    ...{ ending: ENDINGS[format], width, height, duration },
    ...(isTurned(orientation) && { isTurned: true as const }),
  };
}

/** Decodes all frames of an animation to check them. */
async function verify(info: ImageInfo): Promise<void> {
  const image = openImage(info);
  const width = Math.max(1, Math.floor(info.width / 8));
  await decoded(
    image.resize({ width, kernel: 'nearest', fastShrinkOnLoad: true }).raw().toBuffer(),
  );
}

/** Opens a local image for decoding: upright, with limits, with all frames of an animation. */
export function openImage({ input, format, frames, width, height }: ImageInfo) {
  const shrink = SVG_MAX_SIDE / Math.max(width, height, SVG_MAX_SIDE);
  const image = sharp(input, {
    failOn: 'error',
    limitInputPixels: IMAGE_MAX_PIXELS,
    sequentialRead: true,
    animated: frames > 1,
    ...(format === 'svg' ? { density: Math.max(1, 72 * shrink) } : {}),
  });
  // sharp stacks the frames of an animation in one tall image, which must not be rotated.
  return frames > 1 ? image : image.autoOrient();
}

/**
 * Returns the ThumbHash (github.com/evanw/thumbhash) of an upright still image in base64. Throws what sharp
 * throws.
 */
export async function thumbHash(image: Sharp): Promise<string> {
  const { data, info } = await image
    .resize(THUMBHASH_SIDE, THUMBHASH_SIDE, { fit: 'inside', kernel: 'linear' })
    .toColourspace('srgb')
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return Buffer.from(rgbaToThumbHash(info.width, info.height, data)).toString('base64');
}
