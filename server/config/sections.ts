import { join } from 'node:path';
import { GIB, LIMIT_MAX_BYTES, MIB } from '../contract/limits.ts';
import { toMicroUsd } from '../contract/money.ts';
import type { LogLevel } from '../platform/log.ts';
import { parseAddress } from '../platform/mail/address.ts';
import { formatSecrets } from '../platform/secrets/secrets.ts';
import type { Config, S3ApiConfig, Secret } from './config.ts';
import { normalizeDatabaseUrl } from './database-url.ts';
import type { EnvReader } from './reader.ts';
import { readRegions, readS3, storagesOf } from './storage.ts';

const DEFAULT_HOST = '127.0.0.1';

/** Reads where the server listens, its public addresses, and what it logs and reports. */
export function readServer(read: EnvReader) {
  const port = read.integer('PORT', 3000, 0, 65535);
  const host = readHost(read);
  const givenUrl = read.address('APP_URL', { path: false });
  const appUrl = givenUrl ?? `http://${urlHost(host)}:${port}`;
  const givenCdnUrl = read.address('CDN_URL', { path: true });
  const trustedHops = read.integer('TRUST_PROXY', 0, 0, 10);
  const linkUrl = givenUrl || trustedHops === 0 ? appUrl : '';
  const metricsToken = read.text('METRICS_TOKEN');
  if (metricsToken && !/^\S{16,}$/.test(metricsToken)) {
    read.mistake('METRICS_TOKEN must have at least 16 characters and no space.');
  }
  const logLevels: LogLevel[] = ['debug', 'info', 'warn', 'error', 'silent'];
  return {
    port,
    host,
    appUrl,
    isAppUrlSet: givenUrl !== null,
    cdnUrl: givenCdnUrl ?? `${appUrl}/cdn`,
    links: { appUrl: linkUrl, cdnUrl: givenCdnUrl ?? `${linkUrl}/cdn` },
    docsUrl: read.url('DOCS_URL', ['http:', 'https:']),
    videoChannelUrl: read.url('VIDEO_CHANNEL_URL', ['http:', 'https:']),
    sourceUrl: read.url('SOURCE_URL', ['http:', 'https:']),
    trustedHops,
    countryHeader: readCountryHeader(read, trustedHops),
    logLevel: read.choice('LOG_LEVEL', logLevels, 'info'),
    auditRetentionDays: read.integer('AUDIT_RETENTION_DAYS', 365, 1, 36_500),
    banRetentionDays: read.integer('BAN_RETENTION_DAYS', 30, 1, 30),
    webhookAllowPrivate: read.flag('WEBHOOK_ALLOW_PRIVATE'),
    metricsToken,
  };
}

/** Reads the header in which a proxy tells the country of a client. Without a proxy, clients would tell it. */
function readCountryHeader(read: EnvReader, trustedHops: number): string | null {
  const name = read.text('COUNTRY_HEADER');
  if (name === null) return null;
  if (!/^[A-Za-z0-9-]{1,64}$/.test(name)) {
    read.mistake('COUNTRY_HEADER must be the name of a header, such as CF-IPCountry.');
  }
  if (trustedHops === 0) {
    read.mistake(
      'COUNTRY_HEADER needs TRUST_PROXY, because only a proxy can be trusted to set it.',
    );
  }
  return name.toLowerCase();
}

const DOMAIN = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$/i;

/** Reads where the S3 API for clients is. It is off unless S3_URL or S3_PORT is set. */
export function readS3Api(
  read: EnvReader,
  { host, port: appPort, appUrl }: { host: string; port: number; appUrl: string },
): S3ApiConfig | null {
  const givenUrl = read.address('S3_URL', { path: true });
  const port = read.optionalInteger('S3_PORT', 0, 65535);
  const domain = read.text('S3_DOMAIN')?.toLowerCase() ?? null;
  if (port !== null && port !== 0 && port === appPort) {
    read.mistake('S3_PORT must be another port than PORT.');
  }
  if (domain !== null && !DOMAIN.test(domain)) {
    read.mistake('S3_DOMAIN must be a domain such as s3.example.com, without a port.');
  }
  if (domain !== null && port === null) read.mistake('S3_DOMAIN needs S3_PORT.');
  if (givenUrl === null && port === null) return null;
  const ownUrl = port === null ? `${appUrl}/s3` : `http://${urlHost(host)}:${port}`;
  return { url: givenUrl ?? ownUrl, port, domain };
}

/**
 * Reads the database, and the secret that keys are derived from. Processes that share a database must share
 * the secret.
 */
export function readDatabase(read: EnvReader, dataDir: string): Pick<Config, 'database'> & Secret {
  const url = readDatabaseUrl(read, 'DATABASE_URL');
  const sessionUrl = readDatabaseUrl(read, 'DATABASE_SESSION_URL');
  const poolSize = read.integer('DATABASE_POOL_SIZE', 10, 2, 1000);
  const secret = read.text('APP_SECRET');
  const previous = read.text('APP_SECRET_PREVIOUS');
  if (secret && secret.length < 32) read.mistake('APP_SECRET must have at least 32 characters.');
  if (previous && !secret) read.mistake('APP_SECRET_PREVIOUS needs APP_SECRET.');
  else if (previous && previous.length < 32) {
    read.mistake('APP_SECRET_PREVIOUS must have at least 32 characters.');
  }
  if (url && !secret) read.mistake('APP_SECRET must be set when DATABASE_URL is.');
  if (sessionUrl && !url) read.mistake('DATABASE_SESSION_URL needs DATABASE_URL.');
  return {
    database: url
      ? { kind: 'postgres', url, sessionUrl: sessionUrl ?? url, poolSize }
      : { kind: 'sqlite', path: join(dataDir, 'wharf.db') },
    secret: secret && formatSecrets(secret, previous),
  };
}

function readDatabaseUrl(read: EnvReader, name: string): string | null {
  const given = read.url(name, ['postgres:', 'postgresql:']);
  const url = given && normalizeDatabaseUrl(given);
  if (given && !url) read.mistake(`${name} must have sslmode verify-full or disable.`);
  return url;
}

/** Returns the name or address on which the server listens. */
export function readHost(read: EnvReader): string {
  const host = read.text('HOST') ?? DEFAULT_HOST;
  if (URL.canParse(`http://${urlHost(host)}:1`)) return host;
  read.mistake('HOST must be an IP address or a host name, such as 127.0.0.1.');
  return DEFAULT_HOST;
}

/** Reads where objects are stored, and where those of regions with their own storage are. */
export function readStorage(read: EnvReader, dataDir: string): Pick<Config, 'storage' | 'regions'> {
  const url = read.text('STORAGE_URL');
  const settings = url ? readS3(read, 'STORAGE_URL', url) : null;
  const regions = readRegions(read);
  return {
    storage: {
      home: settings ? { kind: 's3', settings } : { kind: 'disk', root: join(dataDir, 'storage') },
      regions: storagesOf(regions),
    },
    regions,
  };
}

/** Reads who the admin is, and how mails are sent. */
export function readPeople(
  read: EnvReader,
  appUrl: string,
  dataDir: string,
): Pick<Config, 'adminEmail' | 'mail'> {
  const adminEmail = read.text('ADMIN_EMAIL');
  if (adminEmail && !parseAddress(adminEmail)) read.mistake('ADMIN_EMAIL is not an email address.');
  const url = read.url('SMTP_URL', ['smtp:', 'smtps:']);
  if (url && !new URL(url).hostname) {
    read.mistake('SMTP_URL needs a host, such as smtp://user:password@mail.example.com:587.');
  }
  const from = read.sender('MAIL_FROM') ?? `wharf@${new URL(appUrl).hostname}`;
  return {
    adminEmail,
    mail: url
      ? { kind: 'smtp', url, from }
      : { kind: 'outbox', folder: join(dataDir, 'outbox'), from },
  };
}

/** How many of the largest videos, or videos of 1 GiB, an account can upload at the same time. */
const MAX_OPEN_VIDEOS = 10;

/** Reads what limits uploads. */
export function readLimits(read: EnvReader) {
  const maxVideoBytes = read.integer('MAX_VIDEO_BYTES', 10 * GIB, 1, 1024 * GIB);
  const maxFileBytes = read.integer('MAX_FILE_BYTES', 50 * GIB, 1, 5 * 1024 * GIB);
  return {
    maxVideoBytes,
    maxFileBytes,
    accountLimits: {
      maxBytes: read.optionalInteger('ACCOUNT_MAX_BYTES', 1, LIMIT_MAX_BYTES),
      maxBuckets: read.integer('ACCOUNT_MAX_BUCKETS', 100, 1, 1_000_000),
      maxOpenUploads: read.integer('ACCOUNT_MAX_OPEN_UPLOADS', 1000, 1, 1_000_000),
      maxOpenBytes: MAX_OPEN_VIDEOS * Math.max(maxVideoBytes, maxFileBytes, GIB),
    },
    trustBrowserDays: read.integer('TRUST_BROWSER_DAYS', 30, 0, 90),
    signupsPerNetwork: read.integer('SIGNUPS_PER_NETWORK', 20, 1, 1_000_000),
    diskReserveBytes: read.integer('DISK_RESERVE_BYTES', GIB, 0, 1024 * GIB),
  };
}

/** With less than this a photo of 12 megapixels does not become a WebP. */
const MIN_MEDIA_MEMORY = 256 * MIB;

/** Reads how uploads are processed and delivered. */
export function readMedia(read: EnvReader) {
  return {
    mediaConcurrency: read.integer('MEDIA_CONCURRENCY', 1, 1, 64),
    mediaMemoryBytes: read.optionalInteger('MEDIA_MEMORY_BYTES', MIN_MEDIA_MEMORY, LIMIT_MAX_BYTES),
    keepVideoOriginals: read.flag('KEEP_VIDEO_ORIGINALS'),
    derivativesMaxBytes: read.integer('DERIVATIVES_MAX_BYTES', 2 * GIB, 0, 1024 * 1024 * GIB),
    cdnVariesAccept: read.flag('CDN_VARIES_ACCEPT'),
    s3PublicRedirect: read.flag('S3_PUBLIC_REDIRECT'),
    ffmpegPath: read.text('FFMPEG_PATH'),
    searchPath: read.text('PATH') ?? '/usr/local/bin:/usr/bin:/bin',
  };
}

/**
 * Reads the prices, the credit of a new account, and how far an account may be below zero. Where credit is sold,
 * strangers get none for free unless a setting says so.
 */
export function readPrices(
  read: EnvReader,
  takesPayments: boolean,
): Pick<Config, 'prices' | 'signupCredit' | 'creditLimit'> {
  return {
    prices: {
      storage: read.price('PRICE_STORAGE', 0.03),
      bandwidth: read.price('PRICE_BANDWIDTH', 0.005),
      upload: read.price('PRICE_UPLOAD', 0.005),
    },
    signupCredit: toMicroUsd(read.price('SIGNUP_CREDIT', takesPayments ? 0 : 1)),
    creditLimit: toMicroUsd(read.price('CREDIT_LIMIT', 5)),
  };
}

/**
 * Reads the payment providers. Each must be configured in full or not at all, because half of it would lose
 * money.
 */
export function readProviders(read: EnvReader) {
  const both = (first: string, second: string): [string, string] | null => {
    const [one, other] = [read.text(first), read.text(second)];
    if (one && other) return [one, other];
    if (one || other) read.mistake(`${first} and ${second} must be set together.`);
    return null;
  };
  const base = (name: string, usual: string) => read.url(name, ['https:', 'http:']) ?? usual;

  const stripe = both('STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET');
  const stripeBase = base('STRIPE_API_BASE', 'https://api.stripe.com');
  const cryptomus = both('CRYPTOMUS_MERCHANT', 'CRYPTOMUS_PAYMENT_KEY');
  const cryptomusBase = base('CRYPTOMUS_API_BASE', 'https://api.cryptomus.com');
  return {
    stripe: stripe && { secretKey: stripe[0], webhookSecret: stripe[1], apiBase: stripeBase },
    cryptomus: cryptomus && {
      merchant: cryptomus[0],
      paymentKey: cryptomus[1],
      apiBase: cryptomusBase,
    },
  };
}

function urlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
