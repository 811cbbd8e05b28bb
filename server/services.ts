import { existsSync, mkdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createMediaClient } from '../media/client.ts';
import { describeConfinement } from '../media/confine.ts';
import { staleFolders } from '../media/work-folder.ts';
import packageJson from '../package.json' with { type: 'json' };
import { type Config, MEDIA_VARIABLE, type MediaConfig } from './config.ts';
import { createAccounts } from './features/accounts/service.ts';
import { createPayments, type Providers } from './features/billing/payments/service.ts';
import { giveSignupCredit } from './features/billing/service.ts';
import { createBuckets } from './features/buckets/service.ts';
import { createDelivery } from './features/delivery/service.ts';
import { createFiles, TRANSIENT_PREFIXES } from './features/files/service.ts';
import { createTokens } from './features/tokens/service.ts';
import { createUploads } from './features/uploads/service.ts';
import { createUsage } from './features/usage/service.ts';
import type { AuditSources } from './fsck/finding.ts';
import { createHooks } from './hooks.ts';
import { createHousekeeping } from './housekeeping.ts';
import { OperatorError } from './operator-error.ts';
import type { Clock } from './platform/clock.ts';
import { holdAlone } from './platform/db/alone.ts';
import { migrate } from './platform/db/migrate.ts';
import type { Database } from './platform/db/port.ts';
import { openSqlite, openSqliteForReading } from './platform/db/sqlite.ts';
import { openMemoryEvents } from './platform/events/memory.ts';
import type { Events } from './platform/events/port.ts';
import { openMemoryLimits } from './platform/limits/memory.ts';
import type { Limits } from './platform/limits/port.ts';
import type { Log } from './platform/log.ts';
import type { Mailer } from './platform/mail/port.ts';
import { createPost } from './platform/mail/post.ts';
import { openDiskForReading, openDiskStore } from './platform/objects/disk.ts';
import { hasten, sweepDoomed } from './platform/objects/doomed.ts';
import { everythingAt } from './platform/places.ts';
import { createQueue } from './platform/queue/queue.ts';
import { deriveKeys } from './platform/secrets/keys.ts';
import { findTools } from './tools.ts';
import { createBelongings } from './wiping.ts';

export type Services = Awaited<ReturnType<typeof openServices>>;

/** Everything the app is made of, wired once. What it opens, `close` closes. */
export async function openServices(
  config: Config,
  options: {
    log: Log;
    /** Starts the media process; see main.ts. */
    mediaCommand: string[];
    clock?: Clock;
    /** Told where a mail was written when there is no mail server. */
    announceMail?: (path: string) => void;
  },
) {
  const { log, mediaCommand, clock = Date.now, announceMail = () => {} } = options;
  const failed = (text: string) => (error: unknown) => log.error({ error: String(error) }, text);
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
  const alone = config.database.kind === 'sqlite';
  const letGo = alone ? holdAlone(join(config.dataDir, 'lock.db')) : () => {};
  if (!letGo) throw new OperatorError(`Another Wharf is running on ${config.dataDir}.`);

  const database = await openDatabase(config);
  await migrate(database);
  const objectsRoot = join(config.dataDir, 'storage');
  const objects = await openDiskStore({ root: objectsRoot });
  const events = await openEvents(config, failed('event listener failed'));
  const mailer = lazyMailer(config, announceMail);
  const keys = deriveKeys(config.appSecret);
  const tools = () => findTools(config.ffmpegPath);

  const mediaConfig: MediaConfig = {
    objectsRoot,
    workDir: join(config.dataDir, 'work'),
    ffmpegPath: config.ffmpegPath,
    concurrency: config.mediaConcurrency,
  };
  const queue = createQueue({
    database,
    clock,
    onError: (error, job) =>
      log.error({ job: job.id, kind: job.kind, error: String(error) }, 'job failed'),
  });
  const post = createPost(queue, mailer, keys);
  const media = createMediaClient({
    command: mediaCommand,
    env: { PATH: config.searchPath, [MEDIA_VARIABLE]: JSON.stringify(mediaConfig) },
  });

  const { webhooks, courier, checkHost } = createHooks({
    config,
    database,
    keys,
    clock,
    onError: failed('webhook delivery failed'),
  });
  const usage = createUsage({
    database,
    clock,
    onError: failed('writing usage failed'),
  });
  const { meters, bandwidthOf } = usage;
  const buckets = createBuckets({ database, keys, clock, events, checkHost, meters, bandwidthOf });
  const tokens = createTokens({ key: keys('bucket-token'), clock });
  const places = everythingAt({ objects, cdnUrl: config.cdnUrl });
  const files = createFiles({
    database,
    objects,
    clock,
    queue,
    events,
    buckets,
    webhooks,
    tokens,
    media,
    videoConcurrency: config.mediaConcurrency,
    places,
    appUrl: config.appUrl,
    bandwidthOf: usage.fileBandwidth,
  });
  const uploads = createUploads({ database, clock });
  const delivery = createDelivery({
    ...config,
    buckets,
    files,
    tokens,
    places,
    events,
    database,
    clock,
    media,
    onError: failed('keeping derivatives failed'),
  });
  const limits = await openLimits(config);
  const belongings = createBelongings({
    buckets,
    files,
    uploads,
    events,
    queue,
    sweep: async () => void (await sweepDoomed(database.db, objects, clock())),
  });
  const accounts = createAccounts({
    ...config,
    database,
    keys,
    clock,
    queue,
    post,
    limits,
    belongings,
    onSignup: giveSignupCredit(config.signupCredit),
    events,
  });
  const payments = createPayments({
    database,
    clock,
    providers: lazyProviders(config, clock),
    onError: failed('payment failed'),
  });
  const housekeeping = createHousekeeping({
    database,
    objects,
    clock,
    queue,
    accounts,
    uploads,
    usage,
    delivery,
    payments,
    onError: failed('housekeeping failed'),
  });

  return {
    config,
    log,
    clock,
    version: packageJson.version,
    appUrl: config.appUrl,
    maxVideoBytes: config.maxVideoBytes,
    keepOriginals: config.keepVideoOriginals,
    browserKey: keys('browser'),
    trustedHops: config.trustedHops,
    tools,
    confinement: () => ({ ...describeConfinement(tools()?.ffmpeg) }),
    database,
    objects,
    events,
    queue,
    media,
    accounts,
    buckets,
    webhooks,
    courier,
    tokens,
    files,
    uploads,
    delivery,
    usage,
    payments,
    countSent: usage.sent,
    housekeeping,

    /** Takes up what an earlier process left, and begins to work. */
    async start() {
      if (alone) {
        await hasten(database.db, TRANSIENT_PREFIXES, clock());
        await rm(mediaConfig.workDir, { recursive: true, force: true });
      }
      await queue.start({ alone });
      await courier.start({ alone });
      usage.start();
      housekeeping.start();
    },

    async close() {
      await housekeeping.stop();
      await delivery.settle();
      await queue.stop();
      await courier.stop();
      await media.stop();
      await usage.stop();
      await events.close();
      await limits.close();
      await database.close();
      letGo();
      log.flush();
    },
  };
}

/** Rows and objects for one who only looks; a server may be running on both. */
export async function openForReading({
  dataDir,
  database,
}: Pick<Config, 'dataDir' | 'database'>): Promise<AuditSources> {
  const disk = openDiskForReading({ root: join(dataDir, 'storage') });
  return {
    database: await openDatabaseForReading(database),
    objects: disk,
    async *leftovers() {
      yield* disk.leftovers();
      yield* staleFolders(join(dataDir, 'work'));
    },
  };
}

async function openDatabaseForReading(database: Config['database']): Promise<Database> {
  if (database.kind === 'sqlite') {
    if (existsSync(database.path)) return openSqliteForReading(database.path);
    throw new OperatorError(`There is no database at ${database.path}. Is DATA_DIR right?`);
  }
  const { openPostgres } = await import('./platform/db/postgres.ts');
  return openPostgres(database.url, { readOnly: true });
}

// The adapters for PostgreSQL are loaded where they are used: without them the server starts sooner.

async function openDatabase({ database }: Config): Promise<Database> {
  if (database.kind === 'sqlite') return openSqlite(database.path);
  const { openPostgres } = await import('./platform/db/postgres.ts');
  return openPostgres(database.url);
}

async function openEvents(
  { database }: Config,
  onError: (error: unknown) => void,
): Promise<Events> {
  if (database.kind === 'sqlite') return openMemoryEvents({ onError });
  const { openPostgresEvents } = await import('./platform/events/postgres.ts');
  return openPostgresEvents({ url: database.url, onError });
}

async function openLimits({ database }: Config): Promise<Limits> {
  if (database.kind === 'sqlite') return openMemoryLimits();
  const { openPostgresLimits } = await import('./platform/limits/postgres.ts');
  return openPostgresLimits(database);
}

/** Opened, and its library loaded, with the first mail. */
function lazyMailer({ mail }: Config, announce: (path: string) => void): Mailer {
  const open = async (): Promise<Mailer> => {
    if (mail.kind === 'outbox') {
      const { openOutboxMailer } = await import('./platform/mail/outbox.ts');
      return openOutboxMailer({ ...mail, announce });
    }
    const { openSmtpMailer } = await import('./platform/mail/smtp.ts');
    return openSmtpMailer(mail);
  };
  let opened: Promise<Mailer> | undefined;
  return {
    async send(letter) {
      opened ??= open();
      await (await opened).send(letter);
    },
  };
}

/** Who takes payments, opened, with its library, for the first of them. */
function lazyProviders({ stripe, cryptomus, appUrl }: Config, clock: Clock): Providers {
  return {
    stripe:
      stripe &&
      once(async () => {
        const { openStripe } = await import('./platform/payments/stripe.ts');
        return openStripe({ ...stripe, appUrl, clock });
      }),
    cryptomus:
      cryptomus &&
      once(async () => {
        const { openCryptomus } = await import('./platform/payments/cryptomus.ts');
        return openCryptomus({ ...cryptomus, appUrl, clock });
      }),
  };
}

function once<Result>(open: () => Promise<Result>): () => Promise<Result> {
  let opened: Promise<Result> | undefined;
  return () => {
    opened ??= open();
    return opened;
  };
}
