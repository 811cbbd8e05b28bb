import { openObjects } from '../adapters/objects.ts';
import { ConfigError, type MediaConfig } from '../config/config.ts';
import { findFfmpegBinaries } from './ffmpeg-binaries.ts';

/**
 * The composition root of the media process, which knows objects and tools only: apart from the
 * server's, so that not a byte of the rest is loaded beside the pictures. Throws ConfigError.
 */
export async function openMediaServices(config: MediaConfig) {
  const tools = findFfmpegBinaries(config.ffmpegPath);
  if (!tools) throw new ConfigError(['ffmpeg and ffprobe are missing.']);
  return {
    objects: await openObjects(config.storage),
    workDir: config.workDir,
    concurrency: config.concurrency,
    tools,
  };
}
