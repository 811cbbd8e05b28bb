import type { Size } from '../../server/contract/media.ts';
import { DERIVED_SIDE_MAX, type Transform } from '../../server/contract/transforms.ts';

export type Geometry = {
  /** First the whole image is resized to this. */
  resize: Size;
  /** Then it is cropped to this part; null keeps all of it. */
  crop: (Size & { left: number; top: number }) | null;
  /** Then this padding is added around it. */
  pad: { left: number; right: number; top: number; bottom: number } | null;
};

type Box = Pick<Transform, 'width' | 'height' | 'fit' | 'gravity'>;

/**
 * Returns how an image fits into a box, with the names that Cloudflare uses for the modes. `longest` is the
 * longest side that the format supports.
 */
export function geometryOf(source: Size, box: Box, longest: number): Geometry {
  const { width, height, fit, gravity } = box;
  const both = width !== null && height !== null ? { width, height } : null;
  if (both && (fit === 'cover' || fit === 'crop')) {
    const filling = Math.max(both.width / source.width, both.height / source.height);
    const resize = scaled(source, fit === 'crop' ? Math.min(1, filling) : filling);
    return { resize, crop: cropOf(resize, both, gravity), pad: null };
  }
  const fitting = Math.min(
    width === null ? Number.POSITIVE_INFINITY : width / source.width,
    height === null ? Number.POSITIVE_INFINITY : height / source.height,
  );
  const isFree = fitting === Number.POSITIVE_INFINITY;
  const scale = isFree || fit === 'scale-down' || fit === 'crop' ? Math.min(1, fitting) : fitting;
  const resize = scaled(source, Math.min(scale, maxScale(source, scale, longest)));
  return { resize, crop: null, pad: both && fit === 'pad' ? padOf(resize, both) : null };
}

/**
 * Returns the largest scale that makes the image neither longer than the limit for enlarging nor than its
 * format supports.
 */
function maxScale(source: Size, scale: number, longest: number): number {
  const side = Math.max(source.width, source.height);
  const byFormat = longest / side;
  return scale > 1 ? Math.min(byFormat, Math.max(1, DERIVED_SIDE_MAX / side)) : byFormat;
}

const scaled = ({ width, height }: Size, scale: number): Size => ({
  width: Math.max(1, Math.round(width * scale)),
  height: Math.max(1, Math.round(height * scale)),
});

function cropOf(resize: Size, box: Size, gravity: Box['gravity']): Geometry['crop'] {
  const width = Math.min(box.width, resize.width);
  const height = Math.min(box.height, resize.height);
  if (width === resize.width && height === resize.height) return null;
  const point = gravity === 'auto' ? { x: 0.5, y: 0.5 } : gravity;
  const left = Math.round((resize.width - width) * point.x);
  const top = Math.round((resize.height - height) * point.y);
  return { width, height, left, top };
}

function padOf(resize: Size, box: Size): Geometry['pad'] {
  const across = Math.max(0, box.width - resize.width);
  const down = Math.max(0, box.height - resize.height);
  const left = Math.floor(across / 2);
  const top = Math.floor(down / 2);
  return { left, right: across - left, top, bottom: down - top };
}
