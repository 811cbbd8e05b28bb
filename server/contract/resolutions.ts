import type { Size } from './media.ts';

const LADDERS = [
  { ratio: 16 / 9, sizes: ['1920x1080', '1280x720', '854x480', '640x360', '426x240'] },
  { ratio: 9 / 16, sizes: ['1080x1920', '720x1280', '480x854', '360x640', '240x426'] },
  { ratio: 4 / 5, sizes: ['864x1080', '576x720', '384x480', '288x360', '192x240'] },
];
const TOLERANCE = 0.01;

/**
 * Parses 'WIDTHxHEIGHT'. Returns null for any other text, and for a side below 16 or above 7680.
 */
export function parseSize(text: string): Size | null {
  const match = /^(\d{2,4})x(\d{2,4})$/.exec(text.trim());
  if (!match) return null;
  const size = { width: Number(match[1]), height: Number(match[2]) };
  const sane = [size.width, size.height].every((side) => side >= 16 && side <= 7680);
  return sane ? size : null;
}

/** Returns a size as 'WIDTHxHEIGHT'. */
export const formatSize = ({ width, height }: Size): string => `${width}x${height}`;

/**
 * Returns the sizes to suggest for a source video, largest first; null where its aspect ratio is
 * none of 16:9, 9:16 and 4:5, with a tolerance of 0.01.
 */
export function suggestResolutions(source: Size): string[] | null {
  const ratio = source.width / source.height;
  const ladder = LADDERS.find((one) => Math.abs(one.ratio - ratio) <= TOLERANCE);
  if (!ladder) return null;
  const area = source.width * source.height;
  return ladder.sizes.filter((text) => {
    const size = parseSize(text);
    return size !== null && size.width * size.height <= area;
  });
}
