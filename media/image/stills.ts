import type { Size } from '../../server/contract/media.ts';
import { permanentFailure } from '../media-failure.ts';
import { withDeclaredColours } from './declared-colours.ts';
import { decoded } from './decoded.ts';
import { openImage, thumbHash } from './image.ts';
import type { DecodedImage } from './image-info.ts';
import { imageInfo } from './image-info.ts';
import { checkMemory } from './memory.ts';
import { isRaster } from './raster.ts';
import { sharp } from './sharp.ts';

const POSTER_QUALITY = 80;
const SHEET_QUALITY = 70;

/**
 * Makes a WebP still of an image, with sides of at most `side` pixels. An SVG is refused: how long it takes
 * to draw is up to its author, and nobody takes a video's thumbnail in it. Throws MediaFailure.
 */
export async function makePosterImage(
  source: string,
  path: string,
  side: number,
  memoryBytes = Number.POSITIVE_INFINITY,
): Promise<DecodedImage> {
  if (!(await isRaster(source))) throw permanentFailure("An SVG can't be a thumbnail.");
  const box = { width: side, height: side, fit: 'inside', withoutEnlargement: true } as const;
  const info = { ...(await imageInfo(source)), frames: 1 };
  checkMemory(info, memoryBytes);
  const { width, height } = await withDeclaredColours(source, info, (clear) =>
    decoded(openImage(clear).resize(box).webp({ quality: POSTER_QUALITY }).toFile(path)),
  );
  const hash = await decoded(thumbHash(sharp(path)));
  return { ending: 'webp', width, height, duration: null, thumbHash: hash };
}

/** Makes a WebP of the upper left part of a sheet of thumbnails. Throws MediaFailure. */
export async function cropSheet(source: string, path: string, size: Size): Promise<DecodedImage> {
  const { width, height } = size;
  const part = sharp(source).extract({ left: 0, top: 0, width, height });
  await decoded(part.webp({ quality: SHEET_QUALITY }).toFile(path));
  return { ending: 'webp', width, height, duration: null };
}
