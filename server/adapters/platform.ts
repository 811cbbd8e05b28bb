import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import { OperatorError } from '../config/operator-error.ts';
import { createSystemAudit } from '../platform/audit/record.ts';
import type { Clock } from '../platform/clock.ts';
import { NewerDatabase, NoBackup, schemaOf, upgrade } from '../platform/db/migrate.ts';
import type { Database } from '../platform/db/port.ts';
import type { Log } from '../platform/log.ts';
import { createMailQueue } from '../platform/mail/enqueue-mail.ts';
import { createCounts, instrumentStore } from '../platform/metrics/counts.ts';
import { Queue } from '../platform/queue/queue.ts';
import { createRegionRouter } from '../platform/region-routing.ts';
import { deriveKeys } from '../platform/secrets/secrets.ts';
import { lockDataDir } from './data-dir.ts';
import { openDatabase, openEvents, openLimits, openLocks } from './database.ts';
import { lazyMailer } from './external-services.ts';
import { openMedia } from './media.ts';
import { openObjects, reachObjects } from './objects.ts';

type PlatformOptions = {
  log: Log;
  clock: Clock;
  /** Starts the media process; see main.ts. */
  mediaCommand: string[];
  /** Whether this process does jobs of a kind. */
  does: (kind: string) => boolean;
  /** Told where a mail was written when there is no mail server. */
  announceMail: (path: string) => void;
};
export type Platform = Awaited<ReturnType<typeof openPlatform>>;

/**
 * Opens everything that features stand on, adapters picked by the configuration, each after what it
 * needs; `closePlatform` closes it. Throws OperatorError where storage, DATA_DIR or database can't
 * be used.
 */
export async function openPlatform(config: Config, options: PlatformOptions) {
  const { log, clock, does, mediaCommand, announceMail } = options;
  const onErrorOf = (text: string) => (error: unknown) => log.error({ error: String(error) }, text);
  await reachObjects(config.storage);
  // Processes that share their work need PostgreSQL, so with SQLite there is one.
  const isOnlyProcess = config.database.kind === 'sqlite';
  const releaseDataDir = lockDataDir(config.dataDir, { isOnlyProcess });
  const database = await openDatabase(config);
  const migrated = await bringUpToDate(config, database, log);
  const onError = onErrorOf('writing the audit log failed');
  const audit = createSystemAudit({ ...config, database, clock, onError });
  const counts = createCounts();
  const objects = instrumentStore(await openObjects(config.storage, { isOnlyProcess }), counts);
  const events = await openEvents(config, onErrorOf('event listener failed'));
  const queue = new Queue({
    database,
    clock,
    events,
    does,
    onError: (error, job) =>
      log.error({ job: job.id, kind: job.kind, error: String(error) }, 'job failed'),
  });
  const keys = deriveKeys(config.appSecret);
  const workDir = join(config.dataDir, 'work');
  return {
    log,
    clock,
    isOnlyProcess,
    releaseDataDir,
    database,
    migrated,
    audit,
    counts,
    objects,
    events,
    queue,
    keys,
    workDir,
    media: openMedia(config, workDir, mediaCommand, counts),
    enqueueMail: createMailQueue(queue, lazyMailer(config, announceMail), keys),
    regionRouter: createRegionRouter(config.cdnUrl, regionOverrides(config)),
    limits: await openLimits(config),
    locks: await openLocks(config),
    /** Logs an error under a text that says what failed. */
    onErrorOf,
  };
}

/** Closes what connects to other processes, the database last: everything else writes into it. */
export async function closePlatform(platform: Platform): Promise<void> {
  await platform.events.close();
  await platform.limits.close();
  await platform.locks.close();
  await platform.database.close();
  platform.releaseDataDir();
  platform.log.flush();
}

function regionOverrides({ regions }: Config): Parameters<typeof createRegionRouter>[1] {
  const all = Object.entries(regions);
  return Object.fromEntries(
    all.map(([code, { storage, cdnUrl }]) => [code, { hasStorage: storage !== null, cdnUrl }]),
  );
}

/** Brings the server's database up to date; answers the names of what ran. Throws OperatorError where it is newer, or can't be copied before. */
async function bringUpToDate(
  { database: where, dataDir }: Pick<Config, 'database' | 'dataDir'>,
  database: Database,
  log: Log,
): Promise<string[]> {
  const sqlite =
    where.kind === 'sqlite' ? { path: where.path, folder: join(dataDir, 'backups') } : null;
  try {
    const { pending } = await schemaOf(database);
    const copy = await upgrade(database, sqlite);
    if (copy) log.warn({ copy }, 'database backed up and migrated');
    return pending;
  } catch (error) {
    await database.close();
    const isPlain = error instanceof NewerDatabase || error instanceof NoBackup;
    throw isPlain ? new OperatorError(error.message) : error;
  }
}
