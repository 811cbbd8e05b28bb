import { makeImage } from '../image/image.ts';
import type { DecodedImage } from '../image/image-info.ts';
import { cropSheet, makePosterImage } from '../image/stills.ts';
import { generateImage } from '../transforms/generate-image.ts';
import type { DecodeTask } from './tasks.ts';

/**
 * Does a task in this process, with sharp.
 * @param memoryBytes the memory that it may take, which is estimated before an image is decoded
 * @throws MediaFailure
 */
export function decode(
  task: DecodeTask,
  { source, result }: { source: string; result: string },
  memoryBytes = Number.POSITIVE_INFINITY,
): Promise<DecodedImage> {
  switch (task.kind) {
    case 'image':
      return makeImage({ source, path: result, webp: task.webp, memoryBytes });
    case 'generate':
      return generateImage(source, result, task.transform, memoryBytes);
    case 'poster':
      return makePosterImage(source, result, task.side, memoryBytes);
    case 'sheet':
      return cropSheet(source, result, task);
  }
}
