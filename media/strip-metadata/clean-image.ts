import { planGif } from './gif.ts';
import { planJpeg } from './jpeg.ts';
import { openRandomAccess, type Planner, writePieces } from './pieces.ts';
import { planPng } from './png.ts';
import { planSvg } from './svg.ts';
import { planWebp } from './webp.ts';

export type ImageFormat = 'jpeg' | 'png' | 'webp' | 'gif' | 'svg';

const PLANNERS: Record<ImageFormat, Planner> = {
  jpeg: planJpeg,
  png: planPng,
  webp: planWebp,
  gif: planGif,
  svg: planSvg,
};

/**
 * Writes an image without its metadata to a new local file, with unchanged pixels. `orientation` (EXIF, 1
 * to 8) is the only metadata that is kept. Memory stays below a few 64 KiB windows. Throws a permanent
 * MediaFailure where the structure is broken.
 */
export function cleanImage(
  from: string,
  to: string,
  format: ImageFormat,
  orientation: number,
): void {
  const file = openRandomAccess(from);
  try {
    writePieces(from, to, PLANNERS[format](file, orientation));
  } finally {
    file.close();
  }
}
