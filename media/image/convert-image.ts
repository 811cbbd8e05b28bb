import { join, relative } from 'node:path';
import { GIB, IMAGE_MAX_PIXELS, MINUTE } from '../../server/contract/limits.ts';
import { toolFailure } from '../media-failure.ts';
import { sandboxedInput } from '../sandbox/ffmpeg.ts';
import { runTool, ToolFailedError } from '../sandbox/process.ts';
import { damaged } from '../strip-metadata/random-access.ts';

const TIMEOUT_MS = MINUTE;
const LIMITS = { cpuSeconds: 60, memoryBytes: 3 * GIB, fileBytes: GIB };

export type ConvertWork = {
  /** A local file. */
  source: string;
  /** The job's own folder. */
  folder: string;
  ffmpeg: string;
  signal: AbortSignal;
};

/**
 * Converts an image that sharp's build can't read to a new file in the folder, and returns its path. Throws
 * MediaFailure, or the signal's reason after an abort.
 */
export async function convertImage(
  { source, folder, ffmpeg, signal }: ConvertWork,
  { format, options, name }: { format: string; options: string[]; name: string },
): Promise<string> {
  const command = [
    ...[ffmpeg, '-hide_banner', '-nostdin', '-loglevel', 'error', '-y'],
    ...['-max_pixels', String(IMAGE_MAX_PIXELS)],
    ...sandboxedInput(relative(folder, source), format),
    ...options,
    name,
  ];
  try {
    const run = { command, cwd: folder, isPrivate: true, timeoutMs: TIMEOUT_MS, limits: LIMITS };
    await runTool({ ...run, signal });
  } catch (error) {
    if (!(error instanceof ToolFailedError)) throw error;
    throw toolFailure(error, 'image', damaged().message);
  }
  const converted = join(folder, name);
  if (!(await Bun.file(converted).exists())) throw damaged();
  return converted;
}
