import { join } from 'node:path';
import { MediaClient } from '../../media/worker/client.ts';
import { type Config, MEDIA_VARIABLE, type MediaConfig } from '../config/config.ts';
import type { Counts } from '../platform/metrics/counts.ts';

/**
 * The media process, started with its first job. All of its environment is what it needs to know.
 * @param command starts it; see main.ts
 * @param counts gains how long its jobs take
 */
export function openMedia(
  config: Pick<Config, 'storage' | 'dataDir' | 'ffmpegPath' | 'mediaConcurrency' | 'searchPath'>,
  workDir: string,
  command: string[],
  counts: Counts,
): MediaClient {
  const mediaConfig: MediaConfig = {
    storage: config.storage,
    workDir,
    librariesDir: join(config.dataDir, 'native'),
    ffmpegPath: config.ffmpegPath,
    concurrency: config.mediaConcurrency,
  };
  const env = {
    PATH: config.searchPath,
    // The AWS SDK calls os.homedir() before its first request. Without HOME that throws ENOENT when the uid has
    // no passwd entry, as in a container that runs under an arbitrary uid.
    HOME: config.dataDir,
    [MEDIA_VARIABLE]: JSON.stringify(mediaConfig),
  };
  return new MediaClient({
    command,
    env,
    onJobEnd: (kind, ms) => counts.encoded(kind, ms),
  });
}
