import { rm } from 'node:fs/promises';
import { describeConfinement } from '../media/sandbox/confine.ts';
import { clearStaleFolders } from '../media/work-folder.ts';
import packageJson from '../package.json' with { type: 'json' };
import { lazyProviders } from './adapters/external-services.ts';
import { originsOf } from './adapters/objects.ts';
import { closePlatform, openPlatform, type Platform } from './adapters/platform.ts';
import { remoteBuckets } from './adapters/remote-bucket.ts';
import type { Config } from './config/config.ts';
import { OperatorError } from './config/operator-error.ts';
import { MINUTE, SECOND, TRIAL_STORAGE_BYTES } from './contract/limits.ts';
import { retryWhileUnavailable } from './contract/retry-while-unavailable.ts';
import { Accounts } from './features/accounts/service.ts';
import { Admin } from './features/admin/service.ts';
import { Payments } from './features/billing/payments/service.ts';
import {
  AccountClosing,
  Billing,
  DailyCharging,
  hasAddedCredit,
  PricesInUseError,
  SignupCredit,
} from './features/billing/service.ts';
import { Buckets, type Webhooks } from './features/buckets/service.ts';
import { Delivery, hostsOf, RuleCheck, toFileRules } from './features/delivery/service.ts';
import { Files, transientPrefixes } from './features/files/service.ts';
import { S3Imports, SourceFetches, Sources } from './features/imports/service.ts';
import { Processing } from './features/processing/service.ts';
import {
  authenticate,
  authenticateForm,
  bootstrapS3,
  KnownBuckets,
  type OperationDeps,
  S3Api,
  S3Diagnosis,
  S3Keys,
  SigningKeys,
} from './features/s3/service.ts';
import { Tokens } from './features/tokens/service.ts';
import { Uploads } from './features/uploads/service.ts';
import { Usage } from './features/usage/service.ts';
import type { Clock } from './platform/clock.ts';
import { systemTime, type TimeSource } from './platform/clock-guard/time-source.ts';
import type { Log } from './platform/log.ts';
import { findMailFailure } from './platform/mail/mail-failure.ts';
import { expediteDeletes } from './platform/storage/pending-deletes-store.ts';
import { createAccountCleanup } from './runtime/account-cleanup.ts';
import { BucketCleanup } from './runtime/bucket-cleanup.ts';
import { findFfmpegBinaries } from './runtime/ffmpeg-binaries.ts';
import { createHealth } from './runtime/health.ts';
import { Housekeeping } from './runtime/housekeeping.ts';
import { lazyDownload } from './runtime/lazy-download.ts';
import { handleReseal, startReseal } from './runtime/reseal-job.ts';
import { checkRole, jobsOf, type Role } from './runtime/roles.ts';
import { storageHoldsFiles } from './runtime/storage-check.ts';
import { wireWebhooks } from './runtime/webhooks-wiring.ts';

/** How long a start waits for a database that goes away meanwhile, and how often it tries again. */
const START_TIMEOUT_MS = MINUTE;
const START_RETRY_INTERVAL_MS = SECOND;

export type Services = ReturnType<typeof createServices>;

/** Opens the platform and creates all services of the server on it. `close` closes what this opens. */
export async function openServices(
  config: Config,
  options: {
    log: Log;
    /** The command that starts the media process; see cli/commands.ts. */
    mediaCommand: string[];
    clock?: Clock;
    /** What is known about time apart from the clock. */
    time?: TimeSource;
    role?: Role;
    /** Called with the path of each mail that is written to a file, if there is no mail server. */
    announceMail?: (path: string) => void;
  },
) {
  const { log, mediaCommand, role = 'all', announceMail = () => {} } = options;
  const { clock = Date.now, time = systemTime() } = options;
  checkRole(role, config);
  const does = jobsOf(role);
  const platform = await openPlatform(config, {
    log,
    clock,
    time,
    mediaCommand,
    does,
    announceMail,
  });
  await discardUnfinished(platform);
  return createServices(config, platform, role);
}

/**
 * Discards what a process that has died was storing. It is done before the server listens: what the
 * first requests store looks the same.
 */
async function discardUnfinished(platform: Platform): Promise<void> {
  const { isOnlyProcess, regionRouter, database, clock, workDir } = platform;
  // Another process with this DATA_DIR may be at work, whose folders are locked.
  if (!isOnlyProcess) return clearStaleFolders(workDir);
  const roots = regionRouter.regionsWithStorage.map((region) => regionRouter(region).root);
  await expediteDeletes(database.db, transientPrefixes(roots), clock());
  await rm(workDir, { recursive: true, force: true });
}

/** Creates the services on a platform that is open. */
export function createServices(config: Config, platform: Platform, role: Role = 'all') {
  handleReseal(platform);
  const content = createContentFeatures(config, platform);
  const features = { ...content, ...createAccountFeatures(config, platform, content) };
  const server = describeServer(config, platform);
  const check = createHealth({ ...platform, ...features, ...server });
  const admin = new Admin({
    ...platform,
    ...features,
    dataDir: config.dataDir,
    version: server.version,
    storageKind: config.storage.home.kind,
    async health() {
      const { checks, mail, usage, confinement } = await check();
      return { checks: { ...checks, mail, usage }, confinement };
    },
  });
  const onError = platform.onErrorOf('housekeeping failed');
  const housekeeping = new Housekeeping({ ...platform, ...features, onError });
  const { s3Bootstrap } = config;
  const parts = { role, housekeeping, s3Bootstrap, ...platform, ...features };
  const delivering = {
    ruleCheck: createRuleCheck(config, platform),
    counterOf: (bucketId: string, fileId: string) => features.usage.counterOf(bucketId, fileId),
    requestCounterOf: (bucketId: string, fileId: string) =>
      features.usage.requestCounterOf(bucketId, fileId),
  };
  return {
    config,
    ...server,
    ...parts,
    ...delivering,
    openDownload: lazyDownload(config),
    admin,
    s3Diagnosis: new S3Diagnosis({ ...platform, config: config.s3 }),
    s3: createS3(config, { ...platform, ...content, ...delivering }),
    start: (signal?: AbortSignal) => startServices(parts, signal),
    stopWork: () => stopWork(parts),
    close: () => closeServices(parts),
  };
}

/** Creates what checks requests for files, in whichever way they come, against the rules of the buckets' owners. */
function createRuleCheck({ appUrl, trustedHops }: Config, { regionRouter, clock }: Platform) {
  return new RuleCheck({
    clock,
    trustedHops,
    ownHosts: hostsOf([appUrl, ...regionRouter.cdnUrls]),
  });
}

type S3Features = Platform &
  ContentFeatures & {
    ruleCheck: RuleCheck;
    counterOf: (bucketId: string, fileId: string) => (bytes: number) => void;
  };

/** Creates the S3 API; null where it is off. */
function createS3({ s3, maxFileBytes, maxVideoBytes }: Config, features: S3Features): S3Api | null {
  if (!s3) return null;
  const { ruleCheck, s3Keys, clock, buckets, events } = features;
  const known = new KnownBuckets(buckets, events);
  const signingKeys = new SigningKeys();
  const keys = { findKey: (id: string) => s3Keys.find(id), signingKeys };
  const requireRules: OperationDeps['requireRules'] = (request, bucket, fileId) => {
    const rules = toFileRules(bucket, fileId);
    const socketAddress = () => request.socketAddress;
    if (rules) ruleCheck.requireFor({ request, socketAddress }, rules);
  };
  const addressOf: OperationDeps['addressOf'] = ({ headers, socketAddress }) =>
    ruleCheck.addressFor(headers, socketAddress);
  return new S3Api({
    ...features,
    config: s3,
    deps: {
      ...{ ...features, known, maxFileBytes, maxVideoBytes, requireRules, addressOf },
      authenticateForm: (fields) => authenticateForm(keys, fields, clock()),
    },
    authenticate: (request, hosts) => authenticate({ ...keys, hosts }, request, clock()),
  });
}

type ContentFeatures = ReturnType<typeof createContentFeatures>;
type AccountFeatures = ReturnType<typeof createAccountFeatures>;
type Parts = Platform &
  ContentFeatures &
  AccountFeatures & { role: Role; housekeeping: Housekeeping } & Pick<Config, 's3Bootstrap'>;

/** Creates the services of buckets and files, and of their usage and charges. */
function createContentFeatures(config: Config, platform: Platform) {
  const { database, clock, keys, onErrorOf } = platform;
  // Usage and money are counted by a clock without steps, as what is charged can't be undone.
  const { now } = platform.clockGuard;
  const { webhooks, dispatcher, checkHost } = wireWebhooks({
    ...platform,
    config,
    onError: onErrorOf('webhook delivery failed'),
  });
  const usage = new Usage({
    ...platform,
    clock: now,
    onSent: (bucketIds) => buckets.bandwidthLimits.check(bucketIds),
    onError: onErrorOf('writing usage failed'),
  });
  const charges = new DailyCharging({ database, clock: now, prices: config.prices });
  const buckets = new Buckets({
    ...platform,
    appUrl: config.appUrl,
    banRetentionDays: config.banRetentionDays,
    checkHost,
    meters: usage.meters,
    charges,
    limits: {
      ...config.accountLimits,
      trialMaxBytes: takesPayments(config) ? TRIAL_STORAGE_BYTES : null,
    },
    hasAddedCredit,
    bandwidthOf: (ids) => usage.bandwidthOf(ids),
    bandwidthToday: (ids) => usage.bandwidthToday(ids),
  });
  const tokens = new Tokens({
    keys: keys.all('bucket-token'),
    clock,
    onUse: (id) => buckets.accessTokens.noteUse(id),
  });
  const s3Keys = new S3Keys({ ...platform, buckets, isOn: config.s3 !== null });
  const { files, processing } = createFiles(config, platform, { buckets, webhooks, tokens, usage });
  const uploads = new Uploads({ ...platform, buckets, files });
  const imports = createImports(config, platform, { buckets, files });
  const delivery = new Delivery({
    ...config,
    ...platform,
    buckets,
    files,
    tokens,
    fetchMissing: imports.fetchMissing,
    onError: onErrorOf('evicting generated images failed'),
  });
  return {
    ...{ webhooks, dispatcher, usage, charges, buckets, tokens },
    ...{ files, processing, uploads, ...imports, delivery, s3Keys },
  };
}

/** Creates what copies files from other S3 servers. */
function createImports(
  config: Config,
  platform: Platform,
  features: { buckets: Buckets; files: Files },
) {
  const deps = { ...config, ...platform, ...features, openRemoteBucket: remoteBuckets(config) };
  const sourceFetches = new SourceFetches(deps);
  return {
    imports: new S3Imports({
      ...deps,
      onError: platform.onErrorOf('importing from an S3 server failed'),
    }),
    sources: new Sources(deps),
    sourceFetches,
    fetchMissing: sourceFetches.fetchMissing.bind(sourceFetches),
  };
}

type FileFeatures = { buckets: Buckets; webhooks: Webhooks; tokens: Tokens; usage: Usage };

/** Creates the services of files, and of what is made of them. */
function createFiles(
  config: Config,
  platform: Platform,
  { buckets, webhooks, tokens, usage }: FileFeatures,
) {
  const addresses = { regionRouter: platform.linkRouter, appUrl: config.links.appUrl };
  const processing = new Processing({
    ...platform,
    ...addresses,
    buckets,
    webhooks,
    videoConcurrency: config.mediaConcurrency,
    keepVideos: config.keepVideoOriginals,
    takePathIn: (tx, file) => files.replacements.takePathIn(tx, file),
  });
  const files = new Files({
    ...platform,
    ...addresses,
    buckets,
    webhooks,
    tokens,
    versions: processing,
    bandwidthOf: (fileId) => usage.fileBandwidth(fileId),
  });
  return { files, processing };
}

const takesPayments = ({ stripe, cryptomus }: Config) => stripe !== null || cryptomus !== null;

/** Creates the services of accounts, billing and payments. */
function createAccountFeatures(config: Config, platform: Platform, content: ContentFeatures) {
  const { database, keys, log, onErrorOf } = platform;
  const clock = platform.clockGuard.now;
  const { usage, charges, buckets } = content;
  const signupCredit = new SignupCredit({
    amount: config.signupCredit,
    keys: keys.all('credited-address'),
  });
  const accountClosing = new AccountClosing({ database, clock });
  const bucketCleanup = new BucketCleanup({
    ...platform,
    ...content,
    flush: () => usage.flush(),
  });
  bucketCleanup.handleJobs(platform.queue);
  const ownedResources = createAccountCleanup({
    ...platform,
    buckets,
    bucketCleanup,
    expireCheckouts: (userId) => payments.expireCheckouts(userId),
    paidCredit: async (userId) => (await billing.credit(userId)).paid,
    settleAccount: (userId, signal) => accountClosing.settle(userId, signal),
    closeAccount: async (tx, user) => {
      await accountClosing.close(tx, user.id);
      await signupCredit.remember(tx, user, clock());
    },
  });
  const accounts = new Accounts({
    ...config,
    ...platform,
    ownedResources,
    onSignup: (tx, user, now) => signupCredit.open(tx, user, now),
    creditOf: async (userId) => (await billing.credit(userId)).credit,
    hasS3: config.s3 !== null,
    logRefused: (refused) => log.warn(refused, 'login refused'),
    onError: onErrorOf('recording a refused login failed'),
  });
  const billing = new Billing({
    ...config,
    ...platform,
    clock,
    buckets,
    charges,
    usage,
    signupCredit,
    addressOf: (executor, userId) => accounts.addressOf(executor, userId),
    takesPayments: takesPayments(config),
    onError: onErrorOf('checking a balance failed'),
  });
  const payments = new Payments({
    ...platform,
    adminEmail: config.adminEmail,
    appUrl: config.appUrl,
    clock,
    providers: lazyProviders(config, platform.clock),
    onSettled: (userId) => billing.review(userId),
    onError: onErrorOf('payment failed'),
  });
  return { accounts, billing, payments };
}

/** Returns what routes need to know about the server itself. */
function describeServer(config: Config, { keys, database, objects, clock }: Platform) {
  const tools = () => findFfmpegBinaries(config.ffmpegPath);
  return {
    version: packageJson.version,
    appUrl: config.appUrl,
    isAppUrlSet: config.isAppUrlSet,
    maxVideoBytes: config.maxVideoBytes,
    maxFileBytes: config.maxFileBytes,
    browserKeys: keys.all('browser'),
    trustedHops: config.trustedHops,
    countryHeader: config.countryHeader,
    redirectsTo: config.s3PublicRedirect ? originsOf(config.storage) : [],
    tools,
    confinement: () => describeConfinement(tools()?.ffmpeg),
    holdsFiles: () => storageHoldsFiles(database, objects),
    mailFailure: () => findMailFailure(database.db, clock()),
  };
}

/**
 * Checks the storage, and starts the background work. This process answers requests by now, so that a database
 * which goes away must not end it: each step is repeated for up to a minute.
 * @param signal ends the repetitions
 */
async function startServices(parts: Parts, signal?: AbortSignal): Promise<void> {
  const { role, isOnlyProcess, database, objects } = parts;
  const deadline = AbortSignal.any([
    AbortSignal.timeout(START_TIMEOUT_MS),
    ...(signal ? [signal] : []),
  ]);
  const withRetries = (step: () => Promise<void>) =>
    retryWhileUnavailable(step, { signal: deadline, intervalMs: START_RETRY_INTERVAL_MS });
  await parts.audit.started(packageJson.version, parts.migrated);
  await withRetries(() => startReseal(parts));
  if (!(await storageHoldsFiles(database, objects).catch(() => true))) {
    parts.log.error(
      {},
      'none of the newest files are in this storage; check that STORAGE_URL, REGIONS and DATA_DIR are unchanged and the same in all processes',
    );
  }
  await withRetries(() => parts.queue.start({ isOnlyProcess }));
  if (role === 'media') return;
  await withRetries(() => startS3(parts));
  await withRetries(() => parts.imports.resume({ isOnlyProcess }));
  await withRetries(() => parts.processing.earlierFacts.start());
  parts.clockGuard.start();
  await withRetries(() => parts.dispatcher.start({ isOnlyProcess }));
  await parts.ballast?.fill();
  parts.usage.start();
  await withRetries(() => parts.billing.start()).catch((error) => {
    throw error instanceof PricesInUseError ? new OperatorError(error.message) : error;
  });
  parts.housekeeping.start();
}

/** Creates what an installer has asked for. */
async function startS3({ s3Bootstrap, accounts, ...parts }: Parts): Promise<void> {
  if (!s3Bootstrap) return;
  const { email, ...bootstrap } = s3Bootstrap;
  await bootstrapS3({ ...parts, ensureAccount: () => accounts.ensure(email) }, bootstrap);
}

/**
 * Ends the work that no request waits for, gives running jobs back to the queue, and ends the requests whose
 * clients can continue elsewhere.
 */
async function stopWork(parts: Parts): Promise<void> {
  const { uploads, imports, sourceFetches, queue, dispatcher, housekeeping } = parts;
  const { transforms } = parts.delivery;
  const services = [uploads, imports, sourceFetches, queue, dispatcher, housekeeping, transforms];
  await Promise.all(services.map((service) => service.stop()));
}

async function closeServices(parts: Parts): Promise<void> {
  // The counts are only in memory, so they are written first; everything else survives a kill.
  await parts.usage.flush().catch(() => {});
  await parts.buckets.apiKeys.writeUses().catch(() => {});
  await parts.buckets.accessTokens.writeUses().catch(() => {});
  await parts.s3Keys.writeUses().catch(() => {});
  parts.clockGuard.stop();
  await stopWork(parts);
  await parts.accounts.settle();
  await parts.media.stop();
  await parts.usage.stop();
  await closePlatform(parts);
}
