import type { Size } from '../../../server/contract/media.ts';
import { parseSize } from '../../../server/contract/resolutions.ts';

const TOLERANCE = 0.01;

/** Of the chosen sizes those that suit a video: of its own shape, and not larger than it is. */
export const sizesFor = (chosen: readonly string[], source: Size): string[] =>
  chosen.filter((text) => {
    const size = parseSize(text);
    if (!size || size.width * size.height > source.width * source.height) return false;
    const difference = size.width / size.height - source.width / source.height;
    return Math.abs(difference) <= TOLERANCE;
  });
