import '../fixtures/cheap-passwords.ts';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp } from '../../../server/app.ts';
import { loadConfig } from '../../../server/config/config.ts';
import { listenS3 } from '../../../server/features/s3/service.ts';
import type { Clock } from '../../../server/platform/clock.ts';
import type { TimeSource } from '../../../server/platform/clock-guard/time-source.ts';
import { createLog } from '../../../server/platform/log.ts';
import { openServices, type Services } from '../../../server/services.ts';
import { freePort } from './free-port.ts';
import { migratedSqlite } from './migrated-database.ts';
import { ROOT } from './program.ts';
import { stopAfterAll, type TestServer, withBucket } from './server.ts';
import { engineSettings, removeEngine } from './test-engine.ts';

export type InProcessServer = TestServer & { services: Services };

/** Returns what a machine knows about time whose clock only moves because time passes. */
const timeOf = (clock: Clock): TimeSource => ({
  bootId: 'boot',
  uptime: clock,
  synchronizedAt: () => null,
  databaseTime: async () => null,
});

/**
 * Starts a whole server from the sources in this process, for tests that change its clock or use its
 * services. Time passes as the clock says, unless `time` says otherwise. Its media process is a real process.
 * All other tests use the built program, which `startServer` starts. The caller must call `stop`. A given
 * `dataDir` is kept.
 */
export async function startServerInProcess(
  env: Record<string, string> = {},
  options: {
    clock?: Clock;
    time?: TimeSource;
    dataDir?: string;
    /** Called when the server listens, but its background work has not started yet. */
    onListening?: (services: Services) => Promise<void>;
  } = {},
): Promise<InProcessServer> {
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'wharf-server-')));
  const port = await freePort();
  const engine = await engineSettings(dataDir);
  if (!options.dataDir && !{ ...engine, ...env }.DATABASE_URL)
    await copyFile(await migratedSqlite(), join(dataDir, 'wharf.db'));
  const config = loadConfig({
    PORT: String(port),
    DATA_DIR: dataDir,
    LOG_LEVEL: 'silent',
    SIGNUPS_PER_NETWORK: '1000000',
    PATH: process.env.PATH,
    FFMPEG_PATH: process.env.FFMPEG_PATH,
    ...engine,
    ...env,
  });
  const services = await openServices(config, {
    log: createLog(config.logLevel),
    mediaCommand: [process.execPath, join(ROOT, 'server/main.ts'), 'media-process'],
    ...(options.clock && { clock: options.clock, time: options.time ?? timeOf(options.clock) }),
  });
  const app = createApp(services).listen({ port, hostname: config.host });
  const s3Port = config.s3?.port ?? null;
  const s3 =
    services.s3 && s3Port !== null
      ? await listenS3(services.s3, { port: s3Port, host: config.host })
      : null;
  await options.onListening?.(services);
  await services.start();
  return {
    url: `http://127.0.0.1:${port}`,
    dataDir,
    outbox: join(dataDir, 'outbox'),
    config,
    db: services.database.db,
    services,
    async stop() {
      await app.stop(true);
      await s3?.stop(0);
      await services.close();
      if (options.dataDir) return;
      await removeEngine(dataDir);
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Starts one server in this process for all tests of a file. */
export const sharedServerInProcess = (...parameters: Parameters<typeof startServerInProcess>) =>
  stopAfterAll(startServerInProcess(...parameters));

/** Starts one server in this process for all tests of a file, with a user and their bucket. */
export const sharedBucketInProcess = async (
  ...parameters: Parameters<typeof startServerInProcess>
) => withBucket(await sharedServerInProcess(...parameters));
