import { IMAGE_MAX_PIXELS } from '../../server/contract/limits.ts';
import { damaged } from '../strip-metadata/random-access.ts';
import { repairPng } from '../strip-metadata/repair-png.ts';
import type { ImageInfo } from './image-info.ts';
import { sharp } from './sharp.ts';

/** An image that was decoded in vain is decoded again, so both together take as long as the largest allowed. */
const MAX_PIXELS = IMAGE_MAX_PIXELS / 2;
const JPEG_END = Buffer.from([0xff, 0xd9]);
/** The sides of the picture in which is counted what could be decoded. */
const CHECKED_SIDE = 24;
/** A decoder invents one block of a JPEG without any data. */
const MIN_CHECKED_PIXELS = 4;

/** Whether what there is of a damaged image may be used. Browsers show that of a JPEG and of a PNG. */
export const isRepairable = ({ format, width, height }: ImageInfo): boolean =>
  (format === 'jpeg' || format === 'png') && width * height <= MAX_PIXELS;

/**
 * Writes a new local file with what can be read of a damaged image, which every decoder accepts. Throws a
 * permanent MediaFailure where that is nothing, and the signal's reason after an abort.
 */
export async function repairImage(
  from: string,
  to: string,
  { format }: ImageInfo,
  signal: AbortSignal,
): Promise<void> {
  if (format === 'png') return repairPng(from, to, signal);
  await Bun.write(to, Buffer.concat([await Bun.file(from).bytes(), JPEG_END]));
  if (!(await hasContent(to))) throw damaged();
}

/** Whether a JPEG shows more than the grey of what is missing. */
async function hasContent(path: string): Promise<boolean> {
  const { data, info } = await sharp(path, { failOn: 'none', limitInputPixels: MAX_PIXELS })
    .resize(CHECKED_SIDE, CHECKED_SIDE, { fit: 'fill', kernel: 'nearest' })
    .raw()
    .toBuffer({ resolveWithObject: true })
    .catch((error) => {
      throw damaged(error);
    });
  const { channels } = info;
  const pixels = Array.from({ length: data.length / channels }, (_, at) =>
    data.subarray(at * channels, (at + 1) * channels),
  );
  const last = pixels.at(-1);
  return pixels.filter((pixel) => last && !pixel.equals(last)).length > MIN_CHECKED_PIXELS;
}
