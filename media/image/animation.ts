import { IMAGE_MAX_PIXELS } from '../../server/contract/limits.ts';
import { hasEncoder } from '../sandbox/ffmpeg.ts';
import { readApng } from '../strip-metadata/apng.ts';
import { type ConvertWork, convertImage } from './convert-image.ts';

/** An animation that sharp's build can't read, or of which it reads the first frame only. */
export type ForeignAnimation = {
  kind: 'apng' | 'avif';
  /** The name of ffmpeg's demuxer. */
  format: string;
  /** How often it is shown; 0 for ever. */
  plays: number;
};

const ENCODER = 'libwebp_anim';
const AVIF_SEQUENCE = 'ftypavis';

/**
 * Returns how to convert a local animated AVIF or PNG; null for other files, and for a PNG of more pixels than
 * an image may have, in all frames together, or where ffmpeg has no encoder. A PNG can be shown without.
 */
export async function findForeignAnimation(
  path: string,
  ffmpeg: string,
): Promise<ForeignAnimation | null> {
  const head = await Bun.file(path).slice(4, 12).text();
  if (head === AVIF_SEQUENCE) return { kind: 'avif', format: 'mov', plays: 0 };
  const apng = readApng(path);
  if (!apng || apng.width * apng.height * apng.frames > IMAGE_MAX_PIXELS) return null;
  if (!(await hasEncoder(ffmpeg, ENCODER))) return null;
  return { kind: 'apng', format: 'apng', plays: apng.plays };
}

/**
 * Converts an animation to a lossless animated WebP in the folder, and returns its path. Throws MediaFailure,
 * or the signal's reason after an abort.
 */
export const convertAnimation = (
  work: ConvertWork,
  { format, plays }: ForeignAnimation,
): Promise<string> =>
  convertImage(work, {
    format,
    options: [
      ...['-map', '0:v:0', '-fps_mode', 'passthrough', '-c:v', ENCODER],
      // More effort takes three times as long, for a file that is read once.
      ...['-lossless', '1', '-compression_level', '0', '-loop', String(plays)],
    ],
    name: 'source.webp',
  });
