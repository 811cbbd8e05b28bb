import type { Sharp } from 'sharp';
import { IMAGE_MAX_PIXELS } from '../../server/contract/limits.ts';
import { DERIVED_SIDE_MAX, type Rgba, type Transform } from '../../server/contract/transforms.ts';
import { withDeclaredColours } from '../image/declared-colours.ts';
import { decoded } from '../image/decoded.ts';
import { withReadable } from '../image/heic/with-readable.ts';
import type { DecodedImage } from '../image/image-info.ts';
import { type ImageInfo, imageInfo } from '../image/image-info.ts';
import { checkMemory } from '../image/memory.ts';
import { sharp } from '../image/sharp.ts';
import { permanentFailure } from '../media-failure.ts';
import { ENCODERS } from './encoders.ts';
import { type Geometry, geometryOf } from './geometry.ts';

/** An animation of more pixels in all frames together becomes a still image, as it would take many seconds. */
const MAX_ANIMATION_PIXELS = 40_000_000;
const WHITE: Rgba = [255, 255, 255, 255];

/**
 * Applies a transform to a local image and writes the result to a new local file: upright, in sRGB, without
 * metadata. An animation stays one where the format supports it, it is neither rotated nor blurred, and it
 * is not too large; otherwise its first frame is used. Throws MediaFailure.
 */
export async function generateImage(
  source: string,
  path: string,
  transform: Transform,
  memoryBytes = Number.POSITIVE_INFINITY,
): Promise<DecodedImage> {
  return withReadable(source, memoryBytes, async (readable) => {
    const info = await imageInfo(readable);
    checkMemory(info, memoryBytes);
    return withDeclaredColours(readable, info, (clear) => generate(clear, path, transform));
  });
}

async function generate(
  info: ImageInfo,
  path: string,
  transform: Transform,
): Promise<DecodedImage> {
  if (info.svgNeed === 'undrawable') {
    throw permanentFailure(
      "The SVG uses features that only browsers can draw, such as CSS variables, so it can't be converted.",
    );
  }
  const { format, quality, rotate, blur, sharpen } = transform;
  const encoder = ENCODERS[format];
  const isSideways = rotate === 90 || rotate === 270;
  const rotated = isSideways ? { width: info.height, height: info.width } : info;
  const longest = info.format === 'svg' ? DERIVED_SIDE_MAX : encoder.longest;
  const geometry = geometryOf(rotated, transform, longest);
  const isAnimated =
    encoder.isAnimated && rotate === 0 && blur === 0 && isAffordable(info, geometry);

  const image = open(info, isAnimated);
  const background = transform.background ?? (encoder.hasAlpha ? null : WHITE);
  if (background) image.flatten({ background: css(background) });
  resizeAndCrop(image, geometry, transform, isAnimated);
  if (geometry.pad)
    image.extend({ ...geometry.pad, background: css(transform.background ?? WHITE) });
  // A blur radius in CSS is two standard deviations.
  if (blur > 0) image.blur(Math.max(0.3, blur / 2));
  if (sharpen > 0) image.sharpen({ sigma: 0.5 + sharpen / 2 });
  const output = await decoded(encoder.encode(image, quality).toFile(path));
  return {
    ending: encoder.ending,
    width: output.width,
    height: output.pageHeight ?? output.height,
    duration: isAnimated ? info.duration : null,
  };
}

function isAffordable({ frames, width, height }: ImageInfo, { resize }: Geometry): boolean {
  const pixels = frames * Math.max(resize.width * resize.height, (width * height) / 4);
  return frames > 1 && pixels <= MAX_ANIMATION_PIXELS;
}

function open({ input, format, width, height }: ImageInfo, isAnimated: boolean): Sharp {
  const shrink = DERIVED_SIDE_MAX / Math.max(width, height, DERIVED_SIDE_MAX);
  return sharp(input, {
    failOn: 'error',
    limitInputPixels: IMAGE_MAX_PIXELS,
    sequentialRead: true,
    animated: isAnimated,
    autoOrient: !isAnimated,
    // sharp then renders an SVG at the requested size.
    ...(format === 'svg' ? { density: Math.max(1, 72 * shrink) } : {}),
  });
}

function resizeAndCrop(
  image: Sharp,
  geometry: Geometry,
  transform: Transform,
  isAnimated: boolean,
): void {
  const { resize, crop } = geometry;
  const { rotate, gravity } = transform;
  if (crop && gravity === 'auto' && !isAnimated) {
    const { width, height } = crop;
    if (rotate !== 0) image.rotate(rotate);
    image.resize({ width, height, fit: 'cover', position: 'attention' });
    return;
  }
  // The rotation comes after resizing: before it, a JPEG could not be decoded at a fraction of its size.
  const isSideways = rotate === 90 || rotate === 270;
  const { width, height } = isSideways ? { width: resize.height, height: resize.width } : resize;
  image.resize({ width, height, fit: 'fill' });
  if (rotate !== 0) image.rotate(rotate);
  if (crop) image.extract(crop);
}

const css = ([r, g, b, alpha]: Rgba) => ({ r, g, b, alpha: alpha / 255 });
