import { openLibraries } from '../../media/image/libraries.ts';
import { OperatorError } from '../config/operator-error.ts';

/** Runs a decoder. sharp runs only here, and never in the processes of the server or the media process. */
export async function runDecoderProcess([libraries = '', start = '']: string[]): Promise<void> {
  await openLibraries(libraries);
  const { runDecoder } = await loadDecoder(libraries);
  await runDecoder(JSON.parse(start));
}

async function loadDecoder(libraries: string) {
  try {
    return await import('../../media/decoder/decoder.ts');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_DLOPEN_FAILED') throw error;
    throw new OperatorError(
      `Images can't be processed: the library in ${libraries} can't be loaded (${(error as Error).message}). Check that DATA_DIR is not mounted with noexec.`,
    );
  }
}
