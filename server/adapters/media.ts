import { join } from 'node:path';
import { MediaClient } from '../../media/worker/client.ts';
import { type Config, MEDIA_VARIABLE, type MediaConfig } from '../config/config.ts';
import type { MediaJob } from '../contract/media.ts';
import type { Counts } from '../platform/metrics/counts.ts';
import type { DiskReserve } from '../platform/storage/disk-reserve.ts';

/**
 * Returns a client of the media process, which starts with its first job. The process gets only the
 * environment that it needs, without any secret but those of the storage.
 * @param command starts the process; see main.ts
 * @param counts receives the duration of each job
 */
export function openMedia(
  config: Pick<
    Config,
    'storage' | 'dataDir' | 'ffmpegPath' | 'mediaConcurrency' | 'mediaMemoryBytes' | 'searchPath'
  >,
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
    memoryBytes: config.mediaMemoryBytes,
  };
  const env = {
    PATH: config.searchPath,
    // The AWS SDK calls os.homedir() before its first request. Without HOME that throws ENOENT when the uid
    // has no passwd entry, as in a container that runs under an arbitrary uid.
    HOME: config.dataDir,
    [MEDIA_VARIABLE]: JSON.stringify(mediaConfig),
  };
  return new MediaClient({
    command,
    env,
    onJobEnd: (kind, ms) => counts.encoded(kind, ms),
  });
}

/** Returns the media process with jobs that fail rather than use up the reserve of the disk. */
export const withDiskReserve = (media: MediaClient, reserve: DiskReserve) => ({
  run: <Job extends MediaJob>(job: Job, options: Parameters<MediaClient['run']>[1]) =>
    reserve.guard(options.signal, (signal) => media.run(job, { ...options, signal })),
  stop: () => media.stop(),
});
