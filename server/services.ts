import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describeConfinement, prepareConfinement } from '../media/sandbox/confine.ts';
import packageJson from '../package.json' with { type: 'json' };
import { holdDataDir } from './adapters/data-dir.ts';
import { openDatabase, openEvents, openLimits, openLocks } from './adapters/database.ts';
import { lazyMailer } from './adapters/mail.ts';
import { openMedia } from './adapters/media.ts';
import { openObjects, originsOf, reachObjects } from './adapters/objects.ts';
import { lazyProviders } from './adapters/payments.ts';
import { bringUpToDate } from './adapters/upgrade.ts';
import type { Config } from './config/config.ts';
import { toUsd } from './contract/money.ts';
import { Accounts } from './features/accounts/service.ts';
import { Admin } from './features/admin/service.ts';
import { Payments } from './features/billing/payments/service.ts';
import {
  Billing,
  balanceOf,
  giveSignupCredit,
  HourlyCharging,
} from './features/billing/service.ts';
import { Buckets } from './features/buckets/service.ts';
import { Delivery } from './features/delivery/service.ts';
import { Files, transientPrefixes } from './features/files/service.ts';
import { Tokens } from './features/tokens/service.ts';
import { createUploads } from './features/uploads/service.ts';
import { Usage } from './features/usage/service.ts';
import { createSystemAudit } from './platform/audit/system.ts';
import type { Clock } from './platform/clock.ts';
import type { Log } from './platform/log.ts';
import { createMailQueue } from './platform/mail/enqueue-mail.ts';
import { createCounts } from './platform/metrics/counts.ts';
import { instrumentMedia, instrumentStore } from './platform/metrics/instrument.ts';
import { Queue } from './platform/queue/queue.ts';
import { createRegionRouter } from './platform/region-routing.ts';
import { deriveKeys } from './platform/secrets/keys.ts';
import { runPendingDeletes } from './platform/storage/pending-deletes.ts';
import { expediteDeletes } from './platform/storage/pending-deletes-store.ts';
import { createAccountCleanup } from './runtime/account-cleanup.ts';
import { findFfmpegBinaries } from './runtime/ffmpeg-binaries.ts';
import { createHousekeeping } from './runtime/housekeeping.ts';
import { checkRole, jobsOf, type Role } from './runtime/roles.ts';
import { storageHoldsFiles } from './runtime/storage-check.ts';
import { wireWebhooks } from './runtime/webhooks-wiring.ts';

export type Services = Awaited<ReturnType<typeof openServices>>;

/** Everything the app is made of, wired once. What it opens, `close` closes. */
export async function openServices(
  config: Config,
  options: {
    log: Log;
    /** Starts the media process; see main.ts. */
    mediaCommand: string[];
    clock?: Clock;
    role?: Role;
    /** Told where a mail was written when there is no mail server. */
    announceMail?: (path: string) => void;
  },
) {
  const { log, mediaCommand, role = 'all', clock = Date.now, announceMail = () => {} } = options;
  const failed = (text: string) => (error: unknown) => log.error({ error: String(error) }, text);
  checkRole(role, config);
  await reachObjects(config.storage);
  const alone = config.database.kind === 'sqlite';
  const letGo = holdDataDir(config.dataDir, { alone });
  const database = await openDatabase(config);
  const migrated = await bringUpToDate(config, database, log);
  const onError = failed('writing the audit log failed');
  const audit = createSystemAudit({ ...config, database, clock, onError });
  const counts = createCounts();
  const objects = instrumentStore(await openObjects(config.storage, { isAlone: alone }), counts);
  const events = await openEvents(config, failed('event listener failed'));
  const mailer = lazyMailer(config, announceMail);
  const keys = deriveKeys(config.appSecret);
  const places = createRegionRouter(config.cdnUrl, apartOf(config));
  const tools = () => findFfmpegBinaries(config.ffmpegPath);

  const queue = new Queue({
    database,
    clock,
    events,
    does: jobsOf(role),
    onError: (error, job) =>
      log.error({ job: job.id, kind: job.kind, error: String(error) }, 'job failed'),
  });
  const post = createMailQueue(queue, mailer, keys);
  const workDir = join(config.dataDir, 'work');
  const media = instrumentMedia(openMedia(config, workDir, mediaCommand), counts);

  const { webhooks, dispatcher, checkHost } = wireWebhooks({
    config,
    database,
    keys,
    clock,
    onError: failed('webhook delivery failed'),
  });
  const usage = new Usage({ database, clock, counts, onError: failed('writing usage failed') });
  const charges = new HourlyCharging({ database, clock, usage, prices: config.prices });
  const buckets = new Buckets({
    database,
    keys,
    clock,
    events,
    checkHost,
    meters: usage.meters,
    charges,
    bandwidthOf: (ids) => usage.bandwidthOf(ids),
  });
  const tokens = new Tokens({ key: keys('bucket-token'), clock });
  const files = new Files({
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
    bandwidthOf: (fileId) => usage.fileBandwidth(fileId),
  });
  const uploads = createUploads({ database, clock });
  const delivery = new Delivery({
    ...config,
    buckets,
    files,
    tokens,
    objects,
    events,
    database,
    clock,
    media,
    onError: failed('keeping derivatives failed'),
  });
  const limits = await openLimits(config);
  const locks = await openLocks(config);
  const ownedResources = createAccountCleanup({
    buckets,
    files,
    uploads,
    events,
    queue,
    flush: () => usage.flush(),
    closeAccount: (tx, userId) => charges.accountClosed(tx, userId),
    sweep: async () => void (await runPendingDeletes(database.db, objects, clock())),
  });
  const accounts = new Accounts({
    ...config,
    database,
    keys,
    clock,
    queue,
    post,
    limits,
    ownedResources,
    onSignup: giveSignupCredit(config.signupCredit),
    creditOf: async (userId) => toUsd(await balanceOf(database.db, userId)),
    events,
  });
  const billing = new Billing({
    ...config,
    database,
    clock,
    events,
    queue,
    post,
    buckets,
    charges,
    addressOf: (executor, userId) => accounts.addressOf(executor, userId),
    takesPayments: config.stripe !== null || config.cryptomus !== null,
    onError: failed('looking at a balance failed'),
  });
  const payments = new Payments({
    database,
    clock,
    providers: lazyProviders(config, clock),
    onSettled: (userId) => billing.review(userId),
    onError: failed('payment failed'),
  });
  const house = { database, clock, queue, accounts, buckets, usage, billing };
  const admin = new Admin({ ...house, payments, dataDir: config.dataDir });
  const housekeeping = createHousekeeping({
    ...house,
    objects,
    uploads,
    delivery,
    payments,
    locks,
    audit,
    onError: failed('housekeeping failed'),
  });

  return {
    config,
    role,
    log,
    clock,
    version: packageJson.version,
    appUrl: config.appUrl,
    maxVideoBytes: config.maxVideoBytes,
    keepOriginals: config.keepVideoOriginals,
    browserKey: keys('browser'),
    trustedHops: config.trustedHops,
    tools,
    async confinement() {
      await prepareConfinement();
      return { ...describeConfinement(tools()?.ffmpeg) };
    },
    database,
    objects,
    places,
    redirectsTo: config.s3PublicRedirect ? originsOf(config.storage) : [],
    events,
    locks,
    holdsFiles: () => storageHoldsFiles(database, objects),
    queue,
    media,
    accounts,
    admin,
    buckets,
    webhooks,
    dispatcher,
    tokens,
    files,
    uploads,
    delivery,
    usage,
    billing,
    payments,
    counterOf: (bucketId: string, fileId: string) => usage.counterOf(bucketId, fileId),
    counts,
    housekeeping,

    /** Takes up what an earlier process left, and begins to work. */
    async start() {
      await audit.started(packageJson.version, migrated);
      if (!(await storageHoldsFiles(database, objects).catch(() => true))) {
        log.error(
          {},
          'none of the newest files is in this storage: are STORAGE_URL, REGIONS and DATA_DIR those of before, and of the other processes?',
        );
      }
      if (alone) {
        const roots = places.apart.map((region) => places(region).root);
        await expediteDeletes(database.db, transientPrefixes(roots), clock());
        await rm(workDir, { recursive: true, force: true });
      }
      await queue.start({ alone });
      if (role === 'media') return;
      await dispatcher.start({ alone });
      usage.start();
      await billing.start({ alone });
      housekeeping.start();
    },

    async close() {
      // First, as nobody else knows of it: all the others can be cut off.
      await usage.flush().catch(() => {});
      await housekeeping.stop();
      await delivery.settle();
      await queue.stop();
      await dispatcher.stop();
      await media.stop();
      await usage.stop();
      await events.close();
      await limits.close();
      await locks.close();
      await database.close();
      letGo();
      log.flush();
    },
  };
}

function apartOf({ regions }: Config): Parameters<typeof createRegionRouter>[1] {
  const all = Object.entries(regions);
  return Object.fromEntries(
    all.map(([code, { storage, cdnUrl }]) => [code, { hasStorage: storage !== null, cdnUrl }]),
  );
}
