import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { GIB } from '../contract/limits.ts';
import { toMicroUsd } from '../contract/money.ts';
import type { Region } from '../contract/regions.ts';
import type { LogLevel } from '../platform/log.ts';
import { parseAddress } from '../platform/mail/address.ts';
import type { S3Settings } from '../platform/storage/s3/settings.ts';
import { OperatorError } from './operator-error.ts';
import { readProviders } from './providers.ts';
import { envReader } from './reader.ts';
import { type RegionConfigs, readRegions, storagesOf } from './regions.ts';
import { readS3 } from './storage.ts';

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

/**
 * Reads and checks the environment. This is the only reader of it.
 * Makes DATA_DIR, and in it the secret when APP_SECRET is unset. Throws ConfigError.
 */
export function loadConfig(env: Env = process.env): Config {
  const { secret, ...config } = readConfig(env);
  return { ...config, appSecret: secret ?? keptSecret(config.dataDir) };
}

/** The same without the secret, for one who only looks: makes nothing. Throws ConfigError. */
export function readConfig(
  env: Env = process.env,
): Omit<Config, 'appSecret'> & { secret: string | null } {
  const read = envReader(env);
  const port = read.integer('PORT', 3000, 0, 65535);
  const host = read.text('HOST') ?? '127.0.0.1';
  const appUrl = read.address('APP_URL', { path: false }) ?? `http://${urlHost(host)}:${port}`;
  const dataDir = resolve(read.text('DATA_DIR') ?? './data');
  const databaseUrl = read.url('DATABASE_URL', ['postgres:', 'postgresql:']);
  const smtpUrl = read.url('SMTP_URL', ['smtp:', 'smtps:']);
  const from = read.sender('MAIL_FROM') ?? `wharf@${new URL(appUrl).hostname}`;
  const adminEmail = read.text('ADMIN_EMAIL');
  if (adminEmail && !parseAddress(adminEmail)) read.mistake('ADMIN_EMAIL is not an email address.');
  const storageUrl = read.text('STORAGE_URL');
  const bucket = storageUrl ? readS3(read, 'STORAGE_URL', storageUrl) : null;
  const regions = readRegions(read);
  const secret = read.text('APP_SECRET');
  if (secret && secret.length < 32) read.mistake('APP_SECRET must have at least 32 characters.');
  if (databaseUrl && !secret) read.mistake('APP_SECRET must be set when DATABASE_URL is.');

  const metricsToken = read.text('METRICS_TOKEN');
  if (metricsToken && !/^\S{16,}$/.test(metricsToken)) {
    read.mistake('METRICS_TOKEN must have at least 16 characters and no space.');
  }

  const config = {
    secret,
    port,
    host,
    appUrl,
    cdnUrl: read.address('CDN_URL', { path: true }) ?? `${appUrl}/cdn`,
    docsUrl: read.url('DOCS_URL', ['http:', 'https:']),
    dataDir,
    adminEmail,
    database: databaseUrl
      ? ({ kind: 'postgres', url: databaseUrl } as const)
      : ({ kind: 'sqlite', path: join(dataDir, 'wharf.db') } as const),
    storage: {
      home: bucket
        ? ({ kind: 's3', settings: bucket } as const)
        : ({ kind: 'disk', root: join(dataDir, 'storage') } as const),
      regions: storagesOf(regions),
    },
    regions,
    mail: smtpUrl
      ? ({ kind: 'smtp', url: smtpUrl, from } as const)
      : ({ kind: 'outbox', folder: join(dataDir, 'outbox'), from } as const),
    trustedHops: read.integer('TRUST_PROXY', 0, 0, 10),
    logLevel: read.choice<LogLevel>(
      'LOG_LEVEL',
      ['debug', 'info', 'warn', 'error', 'silent'],
      'info',
    ),
    videoChannelUrl: read.url('VIDEO_CHANNEL_URL', ['http:', 'https:']),
    sourceUrl: read.url('SOURCE_URL', ['http:', 'https:']),
    mediaConcurrency: read.integer('MEDIA_CONCURRENCY', 1, 1, 64),
    maxVideoBytes: read.integer('MAX_VIDEO_BYTES', 10 * GIB, 1, 1024 * GIB),
    keepVideoOriginals: read.flag('KEEP_VIDEO_ORIGINALS'),
    webhookAllowPrivate: read.flag('WEBHOOK_ALLOW_PRIVATE'),
    derivativesMaxBytes: read.integer('DERIVATIVES_MAX_BYTES', 2 * GIB, 0, 1024 * 1024 * GIB),
    cdnVariesAccept: read.flag('CDN_VARIES_ACCEPT'),
    s3PublicRedirect: read.flag('S3_PUBLIC_REDIRECT'),
    auditRetentionDays: read.integer('AUDIT_RETENTION_DAYS', 365, 1, 36_500),
    metricsToken,
    ffmpegPath: read.text('FFMPEG_PATH'),
    searchPath: read.text('PATH') ?? '/usr/local/bin:/usr/bin:/bin',
    prices: {
      storage: read.price('PRICE_STORAGE', 0.03),
      bandwidth: read.price('PRICE_BANDWIDTH', 0.005),
      upload: read.price('PRICE_UPLOAD', 0.005),
    },
    signupCredit: toMicroUsd(read.price('SIGNUP_CREDIT', 1)),
    ...readProviders(read),
  };
  if (read.mistakes.length > 0) throw new ConfigError(read.mistakes);
  return config;
}

/** Which kinds of parts are set up, and whose ffmpeg; for one who asks also where settings are wrong. */
export function readSetup(env: Env = process.env) {
  const { text } = envReader(env);
  return {
    engine: text('DATABASE_URL') ? 'postgres' : 'sqlite',
    storage: text('STORAGE_URL') ? 's3' : 'disk',
    ffmpegPath: text('FFMPEG_PATH'),
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
  if (!text) throw new ConfigError(['The media process is started by the server only.']);
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
  if (secret.length < 32) throw new ConfigError([`The secret in ${path} is damaged; restore it.`]);
  return secret;
}

function urlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
