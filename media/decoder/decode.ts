import { makeImage } from '../image/image.ts';
import { cropSheet, makePosterImage } from '../image/stills.ts';
import { generateImage } from '../transforms/generate-image.ts';
import type { DecodedImage, DecodeTask } from './tasks.ts';

/** Does a task in this process, with sharp. Throws MediaFailure. */
export function decode(
  task: DecodeTask,
  { source, result }: { source: string; result: string },
): Promise<DecodedImage> {
  switch (task.kind) {
    case 'image':
      return makeImage({ source, path: result, webp: task.webp });
    case 'generate':
      return generateImage(source, result, task.transform);
    case 'poster':
      return makePosterImage(source, result, task.side);
    case 'sheet':
      return cropSheet(source, result, task);
  }
}
