import type { Size } from '../../server/contract/media.ts';

/** H.264 with 4:2:0 colour knows even sides only. */
const floorEven = (side: number) => Math.max(2, Math.floor(side / 2) * 2);
const roundEven = (side: number) => Math.max(2, Math.round(side / 2) * 2);

export const sizeName = ({ width, height }: Size) => `${width}x${height}`;

/**
 * The sizes to make, largest first. Each one asked for is a box: the picture fits inside it, keeps
 * its aspect ratio, is never larger than the source, and has even sides. Boxes that come to the
 * same size are made once. Without any box: the source's own size.
 */
export function renditionSizes(source: Size, boxes: Size[]): Size[] {
  const whole = { width: floorEven(source.width), height: floorEven(source.height) };
  const sizes = boxes.map((box) => {
    const scale = Math.min(1, box.width / source.width, box.height / source.height);
    return {
      width: Math.min(whole.width, roundEven(source.width * scale)),
      height: Math.min(whole.height, roundEven(source.height * scale)),
    };
  });
  const once = new Map((sizes.length > 0 ? sizes : [whole]).map((size) => [sizeName(size), size]));
  return [...once.values()].sort((a, b) => b.width * b.height - a.width * a.height);
}
