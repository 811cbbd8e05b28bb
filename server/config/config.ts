import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Region } from '../contract/regions.ts';
import type { LogLevel } from '../platform/log.ts';
import { parseSecrets } from '../platform/secrets/secrets.ts';
import type { S3Settings } from '../platform/storage/s3/client.ts';
import { refusalOf } from './access.ts';
import { requireServerAccess } from './data-dir-access.ts';
import { OperatorError } from './operator-error.ts';
import { EnvReader } from './reader.ts';
import { readS3Bootstrap, type S3BootstrapConfig } from './s3-bootstrap.ts';
import {
  readDatabase,
  readHost,
  readLimits,
  readMedia,
  readPeople,
  readPrices,
  readProviders,
  readS3Api,
  readServer,
  readStorage,
} from './sections.ts';
import type { RegionConfigs } from './storage.ts';

export type Config = {
  port: number;
  host: string;
  /** Without a slash at the end. */
  appUrl: string;
  /** Whether it is configured, or else the address on which the server listens. */
  isAppUrlSet: boolean;
  /** Without a slash at the end; `{appUrl}/cdn` by default. */
  cdnUrl: string;
  /**
   * What the URLs of files start with in responses. Where nobody but a proxy knows our address, they are
   * relative: it is not configured, and TRUST_PROXY is.
   */
  links: { appUrl: string; cdnUrl: string };
  /** The S3 API for clients; null where it is off. */
  s3: S3ApiConfig | null;
  /** What the first start creates for S3 clients; null for nothing. */
  s3Bootstrap: S3BootstrapConfig | null;
  docsUrl: string | null;
  dataDir: string;
  /**
   * At least 32 characters. All keys are derived from it. During a rotation the text also has the
   * previous secret; see platform/secrets.
   */
  appSecret: string;
  adminEmail: string | null;
  database: { kind: 'sqlite'; path: string } | PostgresConfig;
  storage: Storage;
  regions: RegionConfigs;
  mail:
    | { kind: 'smtp'; url: string; from: string }
    | { kind: 'outbox'; folder: string; from: string };
  /** The number of our own proxies that add to X-Forwarded-For. */
  trustedHops: number;
  /** The header in which a proxy of ours tells the country of a client; null for none. */
  countryHeader: string | null;
  logLevel: LogLevel;
  videoChannelUrl: string | null;
  sourceUrl: string | null;
  mediaConcurrency: number;
  /** The memory that decoding one image may take; null for a share of the machine's. */
  mediaMemoryBytes: number | null;
  maxVideoBytes: number;
  /** The largest file that is stored as it is. */
  maxFileBytes: number;
  keepVideoOriginals: boolean;
  /** What each account may have at the same time. */
  accountLimits: {
    /** Null means any number. */
    maxBytes: number | null;
    maxBuckets: number;
    maxOpenUploads: number;
    maxOpenBytes: number;
  };
  /** How many sign-ups a network can request in a day. */
  signupsPerNetwork: number;
  /** For how many days users can trust a browser; 0 for never. */
  trustBrowserDays: number;
  /** How many bytes of the disk uploads and processing leave free. */
  diskReserveBytes: number;
  /** Whether webhooks can lead to addresses that are not public. */
  webhookAllowPrivate: boolean;
  /** The most bytes that all generated images together can take up. */
  derivativesMaxBytes: number;
  /** Whether the CDN in front caches responses separately by Accept. */
  cdnVariesAccept: boolean;
  /** Whether large public images are delivered by a redirect to the storage. */
  s3PublicRedirect: boolean;
  /** How many days entries of the audit log are kept. */
  auditRetentionDays: number;
  /** How many days the files of a banned account are kept. */
  banRetentionDays: number;
  /** The bearer token of /metrics; null disables it. */
  metricsToken: string | null;
  /** A folder or a binary; null means the one on PATH. */
  ffmpegPath: string | null;
  /** PATH, which the media process gets too. */
  searchPath: string;
  /** In USD per GiB: for 30 days of storage, for bandwidth and for uploads. */
  prices: { storage: number; bandwidth: number; upload: number };
  /** The credit of a new account, in micro-USD. */
  signupCredit: number;
  /** How many micro-USD below zero an account that has paid before is still delivered. */
  creditLimit: number;
  /** Null disables payments by card (stripe) or by cryptocurrency (cryptomus). */
  stripe: { secretKey: string; webhookSecret: string; apiBase: string } | null;
  cryptomus: { merchant: string; paymentKey: string; apiBase: string } | null;
};

/** Where the S3 API is. */
export type S3ApiConfig = {
  /** The public address, without a slash at the end. */
  url: string;
  /** The port of its own listener; null where only `{appUrl}/s3` leads to it. */
  port: number | null;
  /** The domain below which each bucket has a host of its own; null for none. */
  domain: string | null;
};

/** How PostgreSQL is reached. */
export type PostgresConfig = {
  kind: 'postgres';
  /** Where transactions go. A pooler may give each of them another session. */
  url: string;
  /** Where listening and locks go, which need a session of their own. The same without a pooler. */
  sessionUrl: string;
  /** How many transactions run at the same time. */
  poolSize: number;
};

/**
 * Where objects are stored, and where those of regions with their own storage are. The media process gets
 * the same.
 */
export type Storage = {
  home: { kind: 'disk'; root: string } | { kind: 's3'; settings: S3Settings };
  regions: Partial<Record<Region, S3Settings>>;
};

/** Wrong settings, with one line for each mistake. */
export class ConfigError extends OperatorError {
  constructor(readonly mistakes: string[]) {
    super(mistakes.join('\n'));
    this.name = 'ConfigError';
  }
}

type Env = Record<string, string | undefined>;
/** Null where the secret is the one that the installation has generated. */
export type Secret = { secret: string | null };

/**
 * Reads and checks the environment, which nothing else reads. Picks a free port for PORT=0. Makes DATA_DIR, and in it a secret when
 * APP_SECRET is unset. Throws ConfigError, and OperatorError where the server can't use a part of DATA_DIR.
 */
export function loadConfig(env: Env = process.env): Config {
  const { secret, ...config } = readConfig(withFreePort(env));
  requireServerAccess({ ...config, secret });
  return { ...config, appSecret: secret ?? loadOrCreateSecret(config.dataDir) };
}

/**
 * Replaces a port of 0 by a free one, because addresses are built from it before the server listens. Where there
 * is none, listening fails with the reason.
 */
function withFreePort(env: Env): Env {
  const read = new EnvReader(env);
  const names = ['PORT', 'S3_PORT'].filter((name) => /^0+$/.test(read.text(name) ?? ''));
  try {
    // All listen at the same time, so that no port is used twice.
    const listeners = names.map(() =>
      Bun.listen({ hostname: readHost(read), port: 0, socket: { data() {} } }),
    );
    for (const listener of listeners) listener.stop();
    const ports = names.map((name, at) => [name, String(listeners[at]?.port)]);
    return { ...env, ...Object.fromEntries(ports) };
  } catch {
    return env;
  }
}

/**
 * Reads the same without generating a secret or making a folder, for commands that only read. Throws
 * ConfigError.
 */
export function readConfig(env: Env = process.env): Omit<Config, 'appSecret'> & Secret {
  const read = new EnvReader(env);
  const server = readServer(read);
  const dataDir = resolve(read.text('DATA_DIR') ?? './data');
  const providers = readProviders(read);
  const takesPayments = providers.stripe !== null || providers.cryptomus !== null;
  const s3 = readS3Api(read, server);
  const config = {
    ...server,
    s3,
    s3Bootstrap: readS3Bootstrap(read, s3 !== null),
    dataDir,
    ...readDatabase(read, dataDir),
    ...readStorage(read, dataDir),
    ...readPeople(read, server.appUrl, dataDir),
    ...readLimits(read),
    ...readMedia(read),
    ...readPrices(read, takesPayments),
    ...providers,
  };
  if (read.mistakes.length > 0) throw new ConfigError(read.mistakes);
  return config;
}

/**
 * Returns which kinds of database and storage are configured, and where ffmpeg is. It works with wrong
 * settings too.
 */
export function readSetup(env: Env = process.env) {
  const read = new EnvReader(env);
  return {
    engine: read.text('DATABASE_URL') ? 'postgres' : 'sqlite',
    storage: read.text('STORAGE_URL') ? 's3' : 'disk',
    ffmpegPath: read.text('FFMPEG_PATH'),
  };
}

/** What the media process needs to know. The server passes it on when it starts the process. */
export type MediaConfig = {
  storage: Storage;
  workDir: string;
  /** The folder into which the binary extracts its native libraries. */
  librariesDir: string;
  ffmpegPath: string | null;
  concurrency: number;
  /** The memory that decoding one image may take; null for a share of the machine's. */
  memoryBytes: number | null;
};

/** The environment variable that holds a MediaConfig as JSON. */
export const MEDIA_VARIABLE = 'WHARF_MEDIA';

/** Throws ConfigError where the media process was not started by the server. */
export function loadMediaConfig(
  env: Record<string, string | undefined> = process.env,
): MediaConfig {
  const text = env[MEDIA_VARIABLE];
  if (!text) throw new ConfigError(['The media process can only be started by the server.']);
  return JSON.parse(text);
}

/** Returns the secret of an installation without APP_SECRET. It is generated once, with mode 0600. */
function loadOrCreateSecret(dataDir: string): string {
  const path = join(dataDir, 'secret');
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    writeFileSync(path, randomBytes(32).toString('hex'), { flag: 'wx', mode: 0o600, flush: true });
  } catch (error) {
    if (refusalOf(error)) throw error;
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !existsSync(path)) {
      throw new ConfigError([
        `DATA_DIR ${dataDir} can't be written to: ${(error as Error).message}`,
      ]);
    }
  }
  const secret = readFileSync(path, 'utf8').trim();
  if (parseSecrets(secret).some((one) => one.length < 32))
    throw new ConfigError([`The secret in ${path} is damaged. Restore it from a backup.`]);
  return secret;
}

/** Returns the access key of another S3 server, which a command takes besides its arguments, as those are in lists of processes. */
export function readRemoteKey(env: Env = process.env) {
  const { REMOTE_ACCESS_KEY_ID: accessKeyId, REMOTE_SECRET_ACCESS_KEY: secretAccessKey } = env;
  if (accessKeyId && secretAccessKey) return { accessKeyId, secretAccessKey };
  throw new OperatorError(
    'Set REMOTE_ACCESS_KEY_ID and REMOTE_SECRET_ACCESS_KEY to the access key of the other S3 server.',
  );
}
