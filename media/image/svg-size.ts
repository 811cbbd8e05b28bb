import type { Size } from '../../server/contract/media.ts';

/** The attributes of a drawing's root that tell its size. */
export type SizeAttributes = { width?: string; height?: string; viewBox?: string };

/** The size of an image that declares none: CSS 2.2, 10.3.2. */
const DEFAULT: Size = { width: 300, height: 150 };
const LENGTH =
  /^\s*([+]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)\s*(px|in|cm|mm|q|pt|pc|em|rem|ex|)\s*$/i;
/** CSS pixels: an inch has 96. The default font has 16. */
export const PIXELS: Record<string, number> = {
  ...{ '': 1, px: 1, in: 96, cm: 96 / 2.54, mm: 96 / 25.4, q: 96 / 101.6, pt: 96 / 72, pc: 16 },
  ...{ em: 16, rem: 16, ex: 8 },
};

/**
 * Returns the size in CSS pixels that browsers give to a drawing by the attributes of its root. One of only a
 * viewBox has the size of that: browsers know its shape alone, and fit it into 300x150 before a page has its
 * say, which is too few pixels.
 */
export function svgSize({ width, height, viewBox }: SizeAttributes): Size {
  const [across, down] = [pixels(width), pixels(height)];
  const box = boxOf(viewBox);
  if (across !== null && down !== null) return { width: across, height: down };
  if (across !== null)
    return { width: across, height: box ? (across * box.height) / box.width : DEFAULT.height };
  if (down !== null)
    return { width: box ? (down * box.width) / box.height : DEFAULT.width, height: down };
  return box ?? DEFAULT;
}

/** Returns a length in CSS pixels; null where it depends on the page, as a percentage does. */
function pixels(text = ''): number | null {
  const [, value, unit = ''] = LENGTH.exec(text) ?? [];
  return value === undefined ? null : Number(value) * (PIXELS[unit.toLowerCase()] as number);
}

function boxOf(text = ''): Size | null {
  const [, , width = 0, height = 0] = text
    .trim()
    .split(/[\s,]+/)
    .map(Number);
  return width > 0 && height > 0 ? { width, height } : null;
}
