import type { Sharp } from 'sharp';
import { decoded } from './decoded.ts';
import type { ImageInfo } from './image-info.ts';

/** Photos of that many samples have some ten thousand colours, screenshots some hundred. */
const SAMPLED_SIDE = 128;
const MAX_COLOURS = 2048;
/** Lossless WebP takes as long as a lossy one for graphics, and several times as long for the worst of others. */
const MAX_PIXELS = 6_000_000;
/** JPEG has left traces of its compression, which lossless compression would have to keep. */
const EXACT = new Set(['png', 'webp', 'tiff', 'gif', 'svg']);

/** Whether a still image has so few colours that it may be a screenshot or a drawing. */
export async function mayBeGraphics(info: ImageInfo, open: () => Sharp): Promise<boolean> {
  const { format, frames, width, height } = info;
  if (!EXACT.has(format) || frames > 1 || width * height > MAX_PIXELS) return false;
  const options = { fit: 'fill', kernel: 'nearest' } as const;
  const sample = open()
    .resize(SAMPLED_SIDE, SAMPLED_SIDE, options)
    .toColourspace('srgb')
    .ensureAlpha();
  const { buffer, byteOffset, length } = await decoded(sample.raw().toBuffer());
  const pixels = new Uint32Array(buffer.slice(byteOffset, byteOffset + length));
  return new Set(pixels).size <= MAX_COLOURS;
}
