import type { Sharp } from 'sharp';
import { rgbaToThumbHash } from 'thumbhash';

/** The most that the algorithm takes for each side. */
const SIDE = 100;

/**
 * The ThumbHash (github.com/evanw/thumbhash) of an upright still image that is yet to be decoded,
 * in base64. Throws what sharp throws.
 */
export async function thumbHash(image: Sharp): Promise<string> {
  const { data, info } = await image
    .resize(SIDE, SIDE, { fit: 'inside', kernel: 'linear' })
    .toColourspace('srgb')
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return Buffer.from(rgbaToThumbHash(info.width, info.height, data)).toString('base64');
}
