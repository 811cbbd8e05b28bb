import { rm } from 'node:fs/promises';
import type { Decode } from '../decoder/tasks.ts';
import { convertAnimation, findForeignAnimation } from '../image/animation.ts';
import { convertBmp, isBmp } from '../image/bmp.ts';
import type { ConvertWork } from '../image/convert-image.ts';
import type { DecodedImage } from '../image/image-info.ts';

/**
 * Makes the file to deliver of an uploaded image at `path`, with ffmpeg in front of the decoder for what sharp's
 * build can't read. Throws MediaFailure, or the signal's reason after an abort.
 */
export async function makeUpload(
  convert: ConvertWork,
  path: string,
  webp: boolean,
  decode: Decode,
): Promise<DecodedImage> {
  const { source, ffmpeg, signal } = convert;
  const make = (from: string, isWebp: boolean) =>
    decode({ kind: 'image', webp: isWebp }, { source: from, result: path }, signal);
  if (await isBmp(source)) return make(await convertBmp(convert), webp);
  const animation = await findForeignAnimation(source, ffmpeg);
  if (!animation || (animation.kind === 'apng' && !webp)) return make(source, webp);
  const size = Bun.file(source).size;
  // What is kept where it is smaller than the result is the lossless WebP.
  const { kept, ...image } = await make(await convertAnimation(convert, animation), true);
  if (animation.kind === 'avif') return { ...image, isConverted: true };
  if (Bun.file(path).size <= size) return image;
  await rm(path);
  return { ...(await make(source, false)), kept: 'original' };
}
