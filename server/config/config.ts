import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Region } from '../contract/regions.ts';
import type { LogLevel } from '../platform/log.ts';
import type { S3Settings } from '../platform/storage/s3/client.ts';
import { OperatorError } from './operator-error.ts';
import { EnvReader } from './reader.ts';
import {
  readDatabase,
  readMedia,
  readPeople,
  readPrices,
  readProviders,
  readServer,
  readStorage,
} from './sections.ts';
import type { RegionConfigs } from './storage.ts';

export type Config = {
  port: number;
  host: string;
  /** Without a slash at the end. */
  appUrl: string;
  /** Without a slash at the end; `{appUrl}/cdn` by default. */
  cdnUrl: string;
  docsUrl: string | null;
  dataDir: string;
  /** At least 32 characters; every key is derived from it. */
  appSecret: string;
  adminEmail: string | null;
  database: { kind: 'sqlite'; path: string } | { kind: 'postgres'; url: string };
  storage: Storage;
  regions: RegionConfigs;
  mail:
    | { kind: 'smtp'; url: string; from: string }
    | { kind: 'outbox'; folder: string; from: string };
  /** How many proxies of our own add to X-Forwarded-For. */
  trustedHops: number;
  logLevel: LogLevel;
  videoChannelUrl: string | null;
  sourceUrl: string | null;
  mediaConcurrency: number;
  maxVideoBytes: number;
  keepVideoOriginals: boolean;
  /** Whether webhooks may lead to addresses that are not public. */
  webhookAllowPrivate: boolean;
  /** What images in other sizes and formats may take up together. */
  derivativesMaxBytes: number;
  /** The CDN in front keeps what differs by Accept apart. */
  cdnVariesAccept: boolean;
  /** Whether clients are sent to the storage for large public images. */
  s3PublicRedirect: boolean;
  /** How long entries of the audit log are kept. */
  auditRetentionDays: number;
  /** Opens /metrics; null means that there is none. */
  metricsToken: string | null;
  /** Folder or binary; null means what PATH holds. */
  ffmpegPath: string | null;
  /** PATH: all of the environment that the media process gets. */
  searchPath: string;
  /** USD per GiB per 30 days, per GiB, per GiB. */
  prices: { storage: number; bandwidth: number; upload: number };
  /** What a new account is given, in micro-USD. */
  signupCredit: number;
  /** Null: nobody can pay by card, or by crypto. */
  stripe: { secretKey: string; webhookSecret: string; apiBase: string } | null;
  cryptomus: { merchant: string; paymentKey: string; apiBase: string } | null;
};

/** Where objects are, and those of regions with a storage of their own; the media process is told the same. */
export type Storage = {
  home: { kind: 'disk'; root: string } | { kind: 's3'; settings: S3Settings };
  regions: Partial<Record<Region, S3Settings>>;
};

/** One line per mistake, for the person who starts the server. */
export class ConfigError extends OperatorError {
  constructor(readonly mistakes: string[]) {
    super(mistakes.join('\n'));
    this.name = 'ConfigError';
  }
}

type Env = Record<string, string | undefined>;
/** Null where the installation keeps a secret of its own. */
export type Secret = { secret: string | null };

/**
 * Reads and checks the environment. This is the only reader of it.
 * Makes DATA_DIR, and in it the secret when APP_SECRET is unset. Throws ConfigError.
 */
export function loadConfig(env: Env = process.env): Config {
  const { secret, ...config } = readConfig(env);
  return { ...config, appSecret: secret ?? keptSecret(config.dataDir) };
}

/** The same without the secret, for one who only looks: makes nothing. Throws ConfigError. */
export function readConfig(env: Env = process.env): Omit<Config, 'appSecret'> & Secret {
  const read = new EnvReader(env);
  const server = readServer(read);
  const dataDir = resolve(read.text('DATA_DIR') ?? './data');
  const config = {
    ...server,
    dataDir,
    ...readDatabase(read, dataDir),
    ...readStorage(read, dataDir),
    ...readPeople(read, server.appUrl, dataDir),
    ...readMedia(read),
    ...readPrices(read),
    ...readProviders(read),
  };
  if (read.mistakes.length > 0) throw new ConfigError(read.mistakes);
  return config;
}

/** Which kinds of parts are set up, and whose ffmpeg; for one who asks also where settings are wrong. */
export function readSetup(env: Env = process.env) {
  const read = new EnvReader(env);
  return {
    engine: read.text('DATABASE_URL') ? 'postgres' : 'sqlite',
    storage: read.text('STORAGE_URL') ? 's3' : 'disk',
    ffmpegPath: read.text('FFMPEG_PATH'),
  };
}

/** What the media process needs to know; the server hands it over when it starts that. */
export type MediaConfig = {
  storage: Storage;
  workDir: string;
  /** Where the binary puts its native libraries. */
  librariesDir: string;
  ffmpegPath: string | null;
  concurrency: number;
};

/** The variable that holds a MediaConfig as JSON. */
export const MEDIA_VARIABLE = 'WHARF_MEDIA';

/** Throws ConfigError where the media process was not started by the server. */
export function loadMediaConfig(
  env: Record<string, string | undefined> = process.env,
): MediaConfig {
  const text = env[MEDIA_VARIABLE];
  if (!text) throw new ConfigError(['The media process can only be started by the server.']);
  return JSON.parse(text);
}

/** The secret of an installation that names none: made once, mode 0600. */
function keptSecret(dataDir: string): string {
  const path = join(dataDir, 'secret');
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    writeFileSync(path, randomBytes(32).toString('hex'), { flag: 'wx', mode: 0o600, flush: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !existsSync(path)) {
      throw new ConfigError([
        `DATA_DIR ${dataDir} can't be written to: ${(error as Error).message}`,
      ]);
    }
  }
  const secret = readFileSync(path, 'utf8').trim();
  if (secret.length < 32)
    throw new ConfigError([`The secret in ${path} is damaged. Restore it from a backup.`]);
  return secret;
}
