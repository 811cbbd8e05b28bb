import type { Area, Rows } from '../tiff.ts';
import type { Plane } from './heic-file.ts';

/** The side of a block in pixels. An encoder codes squares of 16 pixels or more. */
const BLOCK = 8;

/**
 * Whether some of a tile's pixels have the green of colours that are zero, which data that a file lacks leaves.
 * Other pixels can have it too.
 */
export function mayLackBlocks({ width, height, data, stride }: Rows, channels: number): boolean {
  for (let y = BLOCK / 2; y < height; y += BLOCK) {
    for (let x = BLOCK / 2; x < width; x += BLOCK) {
      const at = y * stride + x * channels;
      if (data[at] === 0 && data[at + 1] !== 0 && data[at + 2] === 0) return true;
    }
  }
  return false;
}

/**
 * Returns the blocks of a tile that its file lacks, by both of its planes of colours (Cb and Cr): they are zero
 * there, which no encoder writes, as it is greener than any green. A picture without colours has no such planes,
 * and nothing can be told.
 */
export function missingBlocks({ width, height }: Rows, colours: Plane[]): Area[] {
  if (colours.length === 0) return [];
  const blocks: Area[] = [];
  for (let top = 0; top < height; top += BLOCK) {
    for (let left = 0; left < width; left += BLOCK) {
      const block = {
        ...{ left, top },
        width: Math.min(BLOCK, width - left),
        height: Math.min(BLOCK, height - top),
      };
      const scaled = (plane: Plane) =>
        isMostlyZero(plane, block, plane.width / width, plane.height / height);
      if (colours.every(scaled)) blocks.push(block);
    }
  }
  return blocks;
}

/** Whether most values of a plane are zero in a block; the decoder may have left others of its own there. */
function isMostlyZero(plane: Plane, block: Area, across: number, down: number): boolean {
  const { data, stride, valueBytes } = plane;
  const from = Math.floor(block.left * across) * valueBytes;
  const to = Math.ceil((block.left + block.width) * across) * valueBytes;
  const first = Math.floor(block.top * down);
  const last = Math.ceil((block.top + block.height) * down);
  let zeros = 0;
  for (let y = first; y < last; y += 1) {
    for (let at = y * stride + from; at < y * stride + to; at += 1) if (data[at] === 0) zeros += 1;
  }
  return zeros * 2 > (to - from) * (last - first);
}
