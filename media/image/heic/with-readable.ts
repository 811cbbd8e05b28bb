import { rm } from 'node:fs/promises';
import { checkPixels } from '../image-info.ts';
import { isHeic } from '../raster.ts';
import { decodeHeic } from './heic.ts';

/**
 * Does something with a local image, of which sharp's build can read all but HEIC: it has no decoder for HEVC, so that it
 * gets the pixels of such a photo as TIFF. Throws MediaFailure, and what `work` throws.
 * @param memoryBytes the memory that decoding may take
 */
export async function withReadable<Result>(
  source: string,
  memoryBytes: number,
  work: (readable: string, about: { isDamaged: boolean }) => Promise<Result>,
): Promise<Result> {
  if (!(await isHeic(source))) return work(source, { isDamaged: false });
  const pixels = `${source}-decoded`;
  try {
    return await work(pixels, await decodeHeic(source, pixels, checkPixels, memoryBytes));
  } finally {
    await rm(pixels, { force: true });
  }
}
