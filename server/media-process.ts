import { openLibraries } from '../media/libraries.ts';
import { loadMediaConfig } from './config.ts';
import { openMediaServices } from './media-services.ts';

/** The other process of the program: sharp and ffmpeg run here, never in the server's. */
export async function runMediaProcess(): Promise<void> {
  const config = loadMediaConfig();
  if (Bun.isStandaloneExecutable) await openLibraries(config.librariesDir);
  // Loaded here alone: sharp would cost the server its memory.
  const { runWorker } = await import('../media/worker.ts');
  await runWorker(await openMediaServices(config));
}
