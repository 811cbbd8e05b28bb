import type { DerivedFormat, Transform } from '../../../contract/transforms.ts';
import type { DeliveredFile } from '../../files/service.ts';
import { acceptedFormat } from './accept.ts';
import type { TransformParams } from './parameters.ts';

/** What is known of the image that a derivative is made of. */
type Source = {
  /** Name of the object below the file's prefix. */
  name: string;
  /** As a viewer sees it, in pixels; null where nobody has measured. */
  width: number | null;
  height: number | null;
};

const OWN: Record<string, DerivedFormat> = {
  jpg: 'jpeg',
  png: 'png',
  webp: 'webp',
  gif: 'gif',
  // Drawn, it is a picture with sharp edges and parts that are seen through.
  svg: 'png',
};
const CENTRE = { x: 0.5, y: 0.5 };
const endingOf = (name: string) => name.slice(name.lastIndexOf('.') + 1);

/** The format that an image is answered in unless another is asked for; undefined for no image. */
const ownFormat = (name: string): DerivedFormat | undefined => OWN[endingOf(name)];

/**
 * The transform that a query comes to for one image, without what has no effect on it, so that
 * equal results are one derivative. Null where nothing is left to do: the image itself is it.
 */
export function transformOf(
  params: TransformParams,
  format: DerivedFormat,
  source: Source,
): Transform | null {
  const box = boxOf(params, source);
  const fit = fitOf(params.fit, box);
  const isOpaque = ownFormat(source.name) === 'jpeg' && fit !== 'pad';
  const isLossless = format === 'png' || format === 'gif';
  const transform: Transform = {
    ...params,
    ...box,
    fit,
    format,
    gravity: fit === 'cover' || fit === 'crop' ? params.gravity : CENTRE,
    quality: isLossless ? null : params.quality,
    background: isOpaque ? null : params.background,
  };
  const isDrawing = endingOf(source.name) === 'svg';
  const isSame = !isDrawing && format === ownFormat(source.name) && changesNothing(transform);
  return isSame ? null : transform;
}

/** Sides that the image does not reach anyway do not count where it is never enlarged. */
function boxOf({ fit, width, height, rotate }: TransformParams, source: Source) {
  if (fit !== 'scale-down') return { width, height };
  const isSideways = rotate === 90 || rotate === 270;
  const own = isSideways ? [source.height, source.width] : [source.width, source.height];
  const reduced = (side: number | null, available: number | null = null) =>
    side !== null && available !== null && side >= available ? null : side;
  return { width: reduced(width, own[0]), height: reduced(height, own[1]) };
}

/**
 * Where one side is free, nothing is cut off or added: only enlarging or not makes a difference.
 */
function fitOf(fit: Transform['fit'], { width, height }: Pick<Transform, 'width' | 'height'>) {
  if (width !== null && height !== null) return fit;
  const neverEnlarges = fit === 'scale-down' || fit === 'crop' || width === height;
  return neverEnlarges ? 'scale-down' : 'contain';
}

function changesNothing(transform: Transform): boolean {
  const { width, height, quality, blur, sharpen, rotate, background } = transform;
  return (
    width === null &&
    height === null &&
    quality === null &&
    background === null &&
    blur + sharpen + rotate === 0
  );
}

/** One text for one derivative of a file. */
export function keyOf(transform: Transform): string {
  const { width, height, fit, gravity, format, quality, blur, sharpen, rotate, background } =
    transform;
  return [
    format,
    width !== null && `w${width}`,
    height !== null && `h${height}`,
    fit,
    gravity === 'auto' ? gravity : `${gravity.x}x${gravity.y}`,
    quality !== null && `q${quality}`,
    blur > 0 && `b${blur}`,
    sharpen > 0 && `s${sharpen}`,
    rotate > 0 && `r${rotate}`,
    background && Buffer.from(background).toString('hex'),
  ]
    .filter(Boolean)
    .join(',');
}

/** A file that has something to open. */
export type PublishedFile = DeliveredFile & { prefix: string };

/**
 * Whether this is the name of a file's one image: what is delivered of an uploaded one, and the
 * poster of a video. Originals that are kept are no names of a file, so nothing that was not
 * delivered anyway can be seen through a derivative.
 */
export const isImageOf = (file: DeliveredFile, name: string): boolean =>
  name === (file.file_type === 'image' ? file.entry : file.poster);

/** What is to be made of a file's image for a client; null where the image itself is it. */
export function wantedOf(
  file: PublishedFile,
  name: string,
  accept: string | null,
  params: TransformParams,
): Transform | null {
  const own = ownFormat(name);
  if (!own) throw new Error(`no image: ${name}`);
  const isUpload = file.file_type === 'image';
  const isAnimated = isUpload && file.duration !== null;
  const format =
    params.format === 'auto'
      ? (acceptedFormat(accept, isAnimated) ?? own)
      : params.format === 'own'
        ? own
        : params.format;
  // The size of a video is not that of its poster.
  const { width, height } = isUpload ? file : { width: null, height: null };
  return transformOf(params, format, { name, width, height });
}
