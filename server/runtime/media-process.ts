import { setPriority } from 'node:os';
import { decoderProgram } from '../../media/decoder/program.ts';
import { extractEmbedded } from '../../media/image/libraries.ts';
import { runWorker } from '../../media/worker/worker.ts';
import { openObjects } from '../adapters/objects.ts';
import { ConfigError, loadMediaConfig, type MediaConfig } from '../config/config.ts';
import { findFfmpegBinaries } from './ffmpeg-binaries.ts';

/**
 * Decoders of images inherit this niceness, so requests get a core before the images that wait to be processed.
 * ffmpeg gets a higher one.
 */
const NICENESS = 5;

/** Runs the media process, which starts decoders and ffmpeg. */
export async function runMediaProcess(): Promise<void> {
  setPriority(NICENESS);
  const config = loadMediaConfig();
  if (Bun.isStandaloneExecutable) await extractEmbedded(config.librariesDir);
  await runWorker(await openMediaServices(config));
}

/**
 * The composition root of the media process, which only needs objects and ffmpeg. It is separate from the
 * server's, so that nothing else is loaded beside the images. Throws ConfigError.
 */
async function openMediaServices(config: MediaConfig) {
  const tools = findFfmpegBinaries(config.ffmpegPath);
  if (!tools) throw new ConfigError(['ffmpeg and ffprobe are missing.']);
  return {
    objects: await openObjects(config.storage),
    workDir: config.workDir,
    concurrency: config.concurrency,
    tools,
    decoder: decoderProgram(config.librariesDir),
  };
}
