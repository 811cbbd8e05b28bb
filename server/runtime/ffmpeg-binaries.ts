import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';

export type FfmpegBinaries = { ffmpeg: string; ffprobe: string };

/**
 * Returns where ffmpeg and ffprobe are: beside each other at `ffmpegPath` (a folder, or ffmpeg itself),
 * else on PATH; null where one of them is missing.
 */
export function findFfmpegBinaries(ffmpegPath: string | null): FfmpegBinaries | null {
  if (ffmpegPath === null) return both(Bun.which('ffmpeg'), Bun.which('ffprobe'));
  const stat = statSync(ffmpegPath, { throwIfNoEntry: false });
  if (!stat) return null;
  const folder = stat.isDirectory() ? ffmpegPath : dirname(ffmpegPath);
  const ffmpeg = stat.isDirectory() ? join(folder, 'ffmpeg') : ffmpegPath;
  return both(Bun.which(ffmpeg), Bun.which(join(folder, 'ffprobe')));
}

const both = (ffmpeg: string | null, ffprobe: string | null): FfmpegBinaries | null =>
  ffmpeg && ffprobe ? { ffmpeg, ffprobe } : null;
