import { openLibraries } from '../../media/image/libraries.ts';
import { openObjects } from '../adapters/objects.ts';
import { ConfigError, loadMediaConfig, type MediaConfig } from '../config/config.ts';
import { OperatorError } from '../config/operator-error.ts';
import { findFfmpegBinaries } from './ffmpeg-binaries.ts';

/** Runs the media process. sharp and ffmpeg run only here and never in the server's process. */
export async function runMediaProcess(): Promise<void> {
  const config = loadMediaConfig();
  if (Bun.isStandaloneExecutable) await openLibraries(config.librariesDir);
  const { runWorker } = await loadWorker(config.librariesDir);
  await runWorker(await openMediaServices(config));
}

/** Loads the worker, and sharp with it, which would cost the server memory. */
async function loadWorker(libraries: string) {
  try {
    return await import('../../media/worker/worker.ts');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_DLOPEN_FAILED') throw error;
    throw new OperatorError(
      `Images can't be processed: the library in ${libraries} can't be loaded (${(error as Error).message}). Check that DATA_DIR is not mounted with noexec.`,
    );
  }
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
  };
}
