import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import { OperatorError } from '../config/operator-error.ts';
import { createSystemAudit, type SystemAudit } from '../platform/audit/record.ts';
import type { Clock } from '../platform/clock.ts';
import { ClockGuard } from '../platform/clock-guard/clock-guard.ts';
import { describeDoubt, noticeOf } from '../platform/clock-guard/judge-clock.ts';
import type { TimeSource } from '../platform/clock-guard/time-source.ts';
import { NewerDatabaseError, NoBackupError, upgrade } from '../platform/db/migrate.ts';
import type { Database } from '../platform/db/port.ts';
import type { Log } from '../platform/log.ts';
import { createMailQueue } from '../platform/mail/enqueue-mail.ts';
import { createCounts, instrumentStore } from '../platform/metrics/counts.ts';
import { Queue } from '../platform/queue/queue.ts';
import { createRegionRouter } from '../platform/region-routing.ts';
import { deriveKeys } from '../platform/secrets/secrets.ts';
import { Ballast } from '../platform/storage/ballast.ts';
import { reserveOnDisk } from '../platform/storage/disk-reserve.ts';
import { lockDataDir } from './data-dir.ts';
import {
  openDatabase,
  openEvents,
  openForMigrations,
  openLimits,
  openLocks,
  requireSessions,
  setUpPooler,
} from './database.ts';
import { lazyMailer } from './external-services.ts';
import { openMedia, withDiskReserve } from './media.ts';
import { openObjects, reachObjects } from './objects.ts';

type PlatformOptions = {
  log: Log;
  clock: Clock;
  /** What the machine knows about time apart from `clock`. */
  time: TimeSource;
  /** The command that starts the media process; see main.ts. */
  mediaCommand: string[];
  /** Whether this process runs jobs of a kind. */
  does: (kind: string) => boolean;
  /** Called with the path of each mail that is written to a file, as without a mail server. */
  announceMail: (path: string) => void;
};
export type Platform = Awaited<ReturnType<typeof openPlatform>>;

/**
 * Opens everything that features need, with the adapters that the configuration selects; `closePlatform`
 * closes it. Throws OperatorError where the storage, DATA_DIR or the database can't be used.
 */
export async function openPlatform(config: Config, options: PlatformOptions) {
  const { log, clock, does, mediaCommand, announceMail } = options;
  const onErrorOf = (text: string) => (error: unknown) => log.error({ error: String(error) }, text);
  await reachObjects(config.storage);
  // Several processes need PostgreSQL, so with SQLite there is only this one.
  const isOnlyProcess = config.database.kind === 'sqlite';
  const { diskReserve, ballast, releaseDataDir } = openDataDir(config, isOnlyProcess);
  const database = await openDatabase(config, () => ballast.release());
  const migrated = await bringUpToDate(config, database, log);
  const onError = onErrorOf('writing the audit log failed');
  const audit = createSystemAudit({ ...config, database, clock, onError });
  const clockGuard = await openClockGuard({ ...options, database, audit, onErrorOf });
  const counts = createCounts();
  const objects = instrumentStore(
    await openObjects(config.storage, {
      isOnlyProcess,
      reserveBytes: diskReserve.bytes,
      spoolFolder: join(config.dataDir, 'spool'),
    }),
    counts,
  );
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
    clockGuard,
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
    diskReserve,
    /** Null beside PostgreSQL, which is on another disk. */
    ballast: isOnlyProcess ? ballast : null,
    media: withDiskReserve(openMedia(config, workDir, mediaCommand, counts), diskReserve),
    enqueueMail: createMailQueue(queue, lazyMailer(config, announceMail), keys, clock),
    regionRouter: createRegionRouter(config.cdnUrl, regionOverrides(config)),
    linkRouter: createRegionRouter(config.links.cdnUrl, regionOverrides(config)),
    limits: await openLimits(config),
    locks: await openLocks(config),
    /** Returns a function that logs an error under a text which says what failed. */
    onErrorOf,
  };
}

/** Locks DATA_DIR, on a full disk after the ballast has made room for the lock. */
function openDataDir({ dataDir, diskReserveBytes }: Config, isOnlyProcess: boolean) {
  const diskReserve = reserveOnDisk(dataDir, diskReserveBytes);
  const ballast = new Ballast(join(dataDir, 'ballast'), diskReserve);
  const releaseDataDir = lockDataDir(dataDir, { isOnlyProcess, ballast });
  return { diskReserve, ballast, releaseDataDir };
}

/** Opens the guard of the clock, which has checked it once. */
async function openClockGuard({
  log,
  audit,
  onErrorOf,
  ...deps
}: Pick<PlatformOptions, 'log' | 'clock' | 'time'> & {
  database: Database;
  audit: SystemAudit;
  onErrorOf: (text: string) => (error: unknown) => void;
}): Promise<ClockGuard> {
  const guard = new ClockGuard({
    ...deps,
    async onChange(doubt) {
      if (doubt) log.error({}, noticeOf(doubt));
      await audit.clockChanged(doubt && describeDoubt(doubt));
    },
    onError: onErrorOf('checking the clock failed'),
  });
  await guard.check();
  return guard;
}

/** Closes the connections to other processes. The database is the last one, because all others write to it. */
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

/**
 * Migrates the server's database and returns the names of the migrations that ran. Throws OperatorError
 * where the database is from a newer version, or can't be backed up first.
 */
async function bringUpToDate(
  { database: where, dataDir }: Pick<Config, 'database' | 'dataDir'>,
  database: Database,
  log: Log,
): Promise<string[]> {
  const sqlite =
    where.kind === 'sqlite' ? { path: where.path, folder: join(dataDir, 'backups') } : null;
  const sessions = await openForMigrations({ database: where }, database);
  try {
    await requireSessions({ database: where });
    const { migrated, copy } = await upgrade(sessions, sqlite);
    if (copy) log.warn({ copy }, 'database backed up and migrated');
    await setUpPooler({ database: where }, sessions);
    return migrated;
  } catch (error) {
    await database.close();
    const isExpected = error instanceof NewerDatabaseError || error instanceof NoBackupError;
    throw isExpected ? new OperatorError(error.message) : error;
  } finally {
    if (sessions !== database) await sessions.close();
  }
}
