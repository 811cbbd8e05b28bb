import type { Transform } from '../../../contract/transforms.ts';
import type { DeliveredFile } from '../../files/service.ts';
import { acceptedFormat } from './accept.ts';
import { ownFormat, transformOf } from './canonical.ts';
import type { TransformParams } from './parameters.ts';

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
