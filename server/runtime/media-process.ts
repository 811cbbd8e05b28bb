import { openLibraries } from '../../media/image/libraries.ts';
import { openObjects } from '../adapters/objects.ts';
import { ConfigError, loadMediaConfig, type MediaConfig } from '../config/config.ts';
import { OperatorError } from '../config/operator-error.ts';
import { findFfmpegBinaries } from './ffmpeg-binaries.ts';

/** The other process of the program: sharp and ffmpeg run here, never in the server's. */
export async function runMediaProcess(): Promise<void> {
  const config = loadMediaConfig();
  if (Bun.isStandaloneExecutable) await openLibraries(config.librariesDir);
  const { runWorker } = await loadWorker(config.librariesDir);
  await runWorker(await openMediaServices(config));
}

/** Loaded here alone: sharp would cost the server its memory. */
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
 * The composition root of the media process, which knows objects and tools only: apart from the
 * server's, so that not a byte of the rest is loaded beside the pictures. Throws ConfigError.
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
