import { ConfigError, loadConfig } from './config.ts';
import { runMediaProcess } from './media-process.ts';
import { serve } from './serve.ts';
import { AlreadyRunning } from './services.ts';

/** The argument by which the program starts itself as its media process. */
const MEDIA = 'media-process';

try {
  if (process.argv[2] === MEDIA) await runMediaProcess();
  else await serve(loadConfig(), [process.execPath, Bun.main, MEDIA]);
} catch (error) {
  const expected = error instanceof ConfigError || error instanceof AlreadyRunning;
  process.stderr.write(`${expected ? error.message : String((error as Error)?.stack ?? error)}\n`);
  process.exit(1);
}
