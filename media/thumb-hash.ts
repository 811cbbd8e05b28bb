import { rgbaToThumbHash } from 'thumbhash';
import { IMAGE_MAX_PIXELS } from '../server/contract/limits.ts';
import { sharp } from './sharp.ts';

/** The most that the algorithm takes for each side. */
const SIDE = 100;

/**
 * The ThumbHash (github.com/evanw/thumbhash) of a local image as a viewer sees it, of the first
 * frame of an animation, in base64. Throws what sharp throws.
 */
export async function thumbHash(path: string): Promise<string> {
  const { data, info } = await sharp(path, { limitInputPixels: IMAGE_MAX_PIXELS })
    .autoOrient()
    .resize(SIDE, SIDE, { fit: 'inside', kernel: 'linear' })
    .toColourspace('srgb')
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return Buffer.from(rgbaToThumbHash(info.width, info.height, data)).toString('base64');
}
