import { openLibraries } from '../../media/image/libraries.ts';
import { loadMediaConfig } from '../config/config.ts';
import { OperatorError } from '../config/operator-error.ts';
import { openMediaServices } from './media-services.ts';

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
