import { join, relative } from 'node:path';
import { GIB, IMAGE_MAX_PIXELS, MINUTE } from '../../server/contract/limits.ts';
import { toolFailure } from '../media-failure.ts';
import { sandboxedInput } from '../sandbox/ffmpeg.ts';
import { runTool, ToolFailed } from '../sandbox/process.ts';
import { damaged } from '../strip-metadata/random-access.ts';

const TIFF = 'source.tiff';
const TIMEOUT_MS = MINUTE;
const LIMITS = { cpuSeconds: 60, memoryBytes: 3 * GIB, fileBytes: GIB };

type BmpWork = {
  /** A local file. */
  source: string;
  /** The job's own folder. */
  folder: string;
  ffmpeg: string;
  signal: AbortSignal;
};

/** Whether a local file is a BMP by its first bytes. */
export const isBmp = async (path: string): Promise<boolean> =>
  (await Bun.file(path).slice(0, 2).text()) === 'BM';

/**
 * Converts a BMP, which sharp's build can't read, to an uncompressed TIFF in the folder, and returns its
 * path. Throws MediaFailure, or the signal's reason after an abort.
 */
export async function convertBmp({ source, folder, ffmpeg, signal }: BmpWork): Promise<string> {
  const command = [
    ...[ffmpeg, '-hide_banner', '-nostdin', '-loglevel', 'error', '-y'],
    ...['-max_pixels', String(IMAGE_MAX_PIXELS)],
    ...sandboxedInput(relative(folder, source), 'bmp_pipe'),
    ...['-frames:v', '1', '-c:v', 'tiff', '-compression_algo', 'raw'],
    ...['-f', 'image2', '-update', '1', TIFF],
  ];
  try {
    const run = { command, cwd: folder, isPrivate: true, timeoutMs: TIMEOUT_MS, limits: LIMITS };
    await runTool({ ...run, signal });
  } catch (error) {
    if (!(error instanceof ToolFailed)) throw error;
    throw toolFailure(error, 'image', damaged().message);
  }
  const tiff = join(folder, TIFF);
  if (!(await Bun.file(tiff).exists())) throw damaged();
  return tiff;
}
