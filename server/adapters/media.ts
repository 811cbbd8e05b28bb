import { join } from 'node:path';
import { createMediaClient } from '../../media/client.ts';
import { type Config, MEDIA_VARIABLE, type MediaConfig } from '../config.ts';

/**
 * The media process, started with its first job. All of its environment is what it needs to know.
 * @param command starts it; see main.ts
 */
export function openMedia(
  config: Pick<Config, 'storage' | 'dataDir' | 'ffmpegPath' | 'mediaConcurrency' | 'searchPath'>,
  workDir: string,
  command: string[],
) {
  const mediaConfig: MediaConfig = {
    storage: config.storage,
    workDir,
    librariesDir: join(config.dataDir, 'native'),
    ffmpegPath: config.ffmpegPath,
    concurrency: config.mediaConcurrency,
  };
  const env = {
    PATH: config.searchPath,
    // The S3 library asks for a home folder before its first call, and throws where the user has none: under a
    // number without a name, as in a container that runs as any user.
    HOME: config.dataDir,
    [MEDIA_VARIABLE]: JSON.stringify(mediaConfig),
  };
  return createMediaClient({ command, env });
}
