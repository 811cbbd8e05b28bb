import { type DerivedFormat, PLAIN_FORMATS, type Transform } from '../../../contract/transforms.ts';
import type { DeliveredFile } from '../../files/service.ts';
import { acceptedFormat } from './accept.ts';
import type { TransformParams } from './parameters.ts';

/** The format of bytes of which a drawing is made with each size, or a DerivedFormat. */
type SourceFormat = DerivedFormat | 'svg';

/** The image from which another one is generated. */
type Source = {
  /** The format of its bytes; null for one that no result has, such as TIFF. */
  format: SourceFormat | null;
  /** The size in pixels after the EXIF orientation; null where it is unknown. */
  width: number | null;
  height: number | null;
  /** Whether it declares an orientation, which transforms apply to the pixels. */
  isTurned: boolean;
};

/** The formats of the images that processing makes, by their endings. */
const BY_ENDING: Record<string, SourceFormat> = {
  ...{ jpg: 'jpeg', png: 'png', webp: 'webp', gif: 'gif', svg: 'svg' },
};
const BY_TYPE: Record<string, SourceFormat> = {
  ...{ 'image/jpeg': 'jpeg', 'image/png': 'png', 'image/webp': 'webp', 'image/gif': 'gif' },
  ...{ 'image/avif': 'avif', 'image/svg+xml': 'svg' },
};
const CENTRE = { x: 0.5, y: 0.5 };
/**
 * Returns the transform of a query for one image. It leaves out what has no effect on the image, so
 * that equal results are generated once. Null means that the image itself is the result.
 */
export function transformOf(
  params: TransformParams,
  format: DerivedFormat,
  source: Source,
): Transform | null {
  const box = boxOf(params, source);
  const fit = fitOf(params.fit, box);
  const isOpaque = source.format === 'jpeg' && fit !== 'pad';
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
  const isItself = params.format === 'own' || format === source.format;
  const isDrawn = source.format === null || source.format === 'svg';
  const isSame = isItself && !isDrawn && !source.isTurned && changesNothing(transform);
  return isSame ? null : transform;
}

/**
 * With 'scale-down' an image is never enlarged, so a side that is larger than the image has no
 * effect.
 */
function boxOf({ fit, width, height, rotate }: TransformParams, source: Source) {
  if (fit !== 'scale-down') return { width, height };
  const isSideways = rotate === 90 || rotate === 270;
  const own = isSideways ? [source.height, source.width] : [source.width, source.height];
  const reduced = (side: number | null, available: number | null = null) =>
    side !== null && available !== null && side >= available ? null : side;
  return { width: reduced(width, own[0]), height: reduced(height, own[1]) };
}

/**
 * With only one side given, nothing is cropped or padded, so only enlarging or not makes a
 * difference.
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

/** Returns the text that identifies a transform among the generated images of a file. */
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

/** A file with published objects. */
export type PublishedFile = DeliveredFile & { prefix: string };

/**
 * Returns the format of an image that is stored as it is; undefined for other files, also for one whose bytes have not
 * been read, as they may be those of no image.
 */
const plainFormat = ({ file_type, content_type, thumb_hash }: DeliveredFile) =>
  file_type === 'file' && thumb_hash !== null ? PLAIN_FORMATS[content_type] : undefined;

/** Whether a file is itself an image. */
const isImage = (file: DeliveredFile): boolean =>
  file.file_type === 'image' || plainFormat(file) !== undefined;

/**
 * Returns the name of a file's image: the delivered image of an upload, or the poster of a video. A kept
 * original is never named, so a transform shows nothing that is not delivered anyway.
 */
export const imageOf = (file: DeliveredFile): string | null =>
  isImage(file) ? file.entry : file.poster;

/** Whether a name is that of a file's image. */
export const isImageOf = (file: DeliveredFile, name: string): boolean => name === imageOf(file);

/**
 * Returns the transform of a file's image for a client; null where the image itself is the result.
 */
export function resolveTransform(
  file: PublishedFile,
  name: string,
  accept: string | null,
  params: TransformParams,
): Transform | null {
  const isUpload = isImage(file);
  const isAnimated = isUpload && file.duration !== null;
  const plain = plainFormat(file);
  const source = (plain ? BY_TYPE[file.content_type] : BY_ENDING[endingOf(name)]) ?? null;
  const own = ownFormat(plain ?? source, isAnimated);
  if (!own) throw new Error(`no image: ${name}`);
  const format =
    params.format === 'auto'
      ? (acceptedFormat(accept, isAnimated) ?? own)
      : params.format === 'own'
        ? own
        : params.format;
  // The size of a video is not that of its poster.
  const { width, height } = isUpload ? file : { width: null, height: null };
  const isTurned = isUpload && file.is_turned === 1;
  return transformOf(params, format, { format: source, width, height, isTurned });
}

const endingOf = (name: string) => name.slice(name.lastIndexOf('.') + 1);

/** Returns the format that an image has where no other one is requested. */
function ownFormat(source: SourceFormat | null, isAnimated: boolean): DerivedFormat | null {
  // A rendered drawing has sharp edges and transparent parts.
  if (source === 'svg') return 'png';
  return source === 'png' && isAnimated ? 'webp' : source;
}
