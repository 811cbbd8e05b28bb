import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError, loadConfig } from './config.ts';

const folders = mkdtempSync(join(tmpdir(), 'wharf-config-'));
afterAll(() => rmSync(folders, { recursive: true }));

const folder = () => mkdtempSync(join(folders, 'data-'));
const load = (env: Record<string, string> = {}) => loadConfig({ DATA_DIR: folder(), ...env });
const SECRET = 'x'.repeat(32);

const mistakesOf = (env: Record<string, string>) => {
  try {
    load(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.mistakes;
    throw error;
  }
  return [];
};

describe('configuration', () => {
  test('needs nothing: SQLite, the outbox and port 3000 on this machine', () => {
    const config = load();
    expect(config).toMatchObject({
      port: 3000,
      host: '127.0.0.1',
      appUrl: 'http://127.0.0.1:3000',
    });
    expect(config.cdnUrl).toBe('http://127.0.0.1:3000/cdn');
    expect(config.database.kind).toBe('sqlite');
    expect(config.mail.kind).toBe('outbox');
  });

  test('makes a secret once, for its owner only, and keeps it', () => {
    const dir = folder();
    const first = loadConfig({ DATA_DIR: dir }).appSecret;
    expect(loadConfig({ DATA_DIR: dir }).appSecret).toBe(first);
    expect(first.length).toBeGreaterThanOrEqual(64);
    expect(statSync(join(dir, 'secret')).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(dir, 'secret'), 'utf8')).toBe(first);
  });

  test('takes an empty value as none, and cuts the slash off URLs', () => {
    expect(load({ PORT: '', APP_URL: 'https://files.example/' }).appUrl).toBe(
      'https://files.example',
    );
  });

  test('reads where S3 is, with the keys of the URL or those of the usual variables', () => {
    const aws = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' };
    const STORAGE_URL = 's3://files?endpoint=http://127.0.0.1:3900/&region=garage';
    const named = load({ STORAGE_URL, ...aws }).storage.home;
    const settings = {
      bucket: 'files',
      root: '',
      endpoint: 'http://127.0.0.1:3900',
      region: 'garage',
      accessKeyId: 'id',
      secretAccessKey: 'secret',
      sessionToken: null,
    };
    expect(named).toEqual({ kind: 's3', settings });
    const own = load({ STORAGE_URL: 's3://me:a%2Fb%25@files/wharf/?region=eu-west-1', ...aws });
    expect(own.storage.home).toEqual({
      kind: 's3',
      settings: {
        ...settings,
        root: 'wharf/',
        endpoint: null,
        region: 'eu-west-1',
        accessKeyId: 'me',
        secretAccessKey: 'a/b%',
      },
    });
    expect(load().storage.home.kind).toBe('disk');
  });

  test('reads what regions have of their own', () => {
    const REGIONS = JSON.stringify({
      WEUR: { storage: 's3://k:s@eu?region=eu-west-1', cdn: 'https://eu.example/' },
      OC: { cdn: 'http://oc.example' },
    });
    const { regions, storage } = load({ REGIONS });
    expect(regions.OC).toEqual({ storage: null, cdnUrl: 'http://oc.example' });
    expect(regions.WEUR?.cdnUrl).toBe('https://eu.example');
    expect(Object.keys(storage.regions)).toEqual(['WEUR']);
    expect(storage.regions.WEUR).toMatchObject({ bucket: 'eu', accessKeyId: 'k' });
    expect(storage.home.kind).toBe('disk');
  });

  const mistakes: [string, Record<string, string>, string][] = [
    ['a port that is no number', { PORT: 'http' }, 'PORT'],
    ['a port past the last', { PORT: '65536' }, 'PORT'],
    ['an address without a scheme', { APP_URL: 'files.example' }, 'APP_URL'],
    ['a scheme that is not http', { CDN_URL: 'ftp://files.example' }, 'CDN_URL'],
    [
      'a database of another kind',
      { DATABASE_URL: 'mysql://x/y', APP_SECRET: SECRET },
      'DATABASE_URL',
    ],
    [
      'a mode of TLS that checks nothing',
      { DATABASE_URL: 'postgres://x/y?sslmode=no-verify', APP_SECRET: SECRET },
      'DATABASE_URL must have sslmode',
    ],
    [
      'sessions of a database that is not set',
      { DATABASE_SESSION_URL: 'postgres://x/y' },
      'DATABASE_SESSION_URL needs DATABASE_URL',
    ],
    [
      'sessions without a check of the certificate',
      {
        ...{ DATABASE_URL: 'postgres://x/y', APP_SECRET: SECRET },
        DATABASE_SESSION_URL: 'postgres://x/y?sslmode=no-verify',
      },
      'DATABASE_SESSION_URL must have sslmode',
    ],
    ['a pool of one connection', { DATABASE_POOL_SIZE: '1' }, 'DATABASE_POOL_SIZE must be'],
    ['PostgreSQL without a secret', { DATABASE_URL: 'postgres://x/y' }, 'APP_SECRET'],
    ['a secret that is too short', { APP_SECRET: 'short' }, 'APP_SECRET'],
    ['an admin who is no address', { ADMIN_EMAIL: 'me' }, 'ADMIN_EMAIL'],
    ['a log level nobody has', { LOG_LEVEL: 'loud' }, 'LOG_LEVEL'],
    ['a flag that is neither', { KEEP_VIDEO_ORIGINALS: 'maybe' }, 'KEEP_VIDEO_ORIGINALS'],
    ['a price in another notation', { PRICE_STORAGE: '3e-2' }, 'PRICE_STORAGE'],
    ['a credit below zero', { SIGNUP_CREDIT: '-1' }, 'SIGNUP_CREDIT'],
    ['no sign-ups at all', { SIGNUPS_PER_NETWORK: '0' }, 'SIGNUPS_PER_NETWORK'],
    ['browsers that are trusted for a year', { TRUST_BROWSER_DAYS: '365' }, 'TRUST_BROWSER_DAYS'],
    ['a country that clients tell', { COUNTRY_HEADER: 'CF-IPCountry' }, 'COUNTRY_HEADER'],
    ['a header with spaces', { COUNTRY_HEADER: 'a b', TRUST_PROXY: '1' }, 'COUNTRY_HEADER'],
    ['half of what Stripe needs', { STRIPE_SECRET_KEY: 'sk' }, 'STRIPE_SECRET_KEY'],
    ['half of what Cryptomus needs', { CRYPTOMUS_PAYMENT_KEY: 'k' }, 'CRYPTOMUS_MERCHANT'],
    ['an address with a path', { APP_URL: 'https://example.com/wharf' }, 'APP_URL must be scheme'],
    ['an address with a query', { APP_URL: 'https://example.com/?a' }, 'APP_URL must be scheme'],
    ['a CDN with a query', { CDN_URL: 'https://example.com/cdn?zone=1' }, 'CDN_URL must be an'],
    ['a CDN with a password', { CDN_URL: 'https://a:b@example.com/cdn' }, 'CDN_URL must be an'],
    ['a sender who is no address', { MAIL_FROM: 'Wharf' }, 'MAIL_FROM'],
    ['a sender with two addresses', { MAIL_FROM: 'a@example.com, b@example.com' }, 'MAIL_FROM'],
    [
      'a server in the place of a bucket',
      { STORAGE_URL: 's3://k:s@host:9000/files?endpoint=http://x' },
      'STORAGE_URL must name a bucket; its server',
    ],
    [
      'a region with a query',
      { REGIONS: '{"OC":{"cdn":"https://oc.example/?a=1"}}' },
      'REGIONS: OC: cdn',
    ],
    ['no workers', { MEDIA_CONCURRENCY: '0' }, 'MEDIA_CONCURRENCY'],
    ['no memory for images', { MEDIA_MEMORY_BYTES: '1048576' }, 'MEDIA_MEMORY_BYTES'],
    ['storage of another kind', { STORAGE_URL: 'ftp://files' }, 'STORAGE_URL must look like'],
    ['storage without a bucket', { STORAGE_URL: 's3://?region=x' }, 'STORAGE_URL must name'],
    ['storage that is nowhere', { STORAGE_URL: 's3://k:s@files' }, 'STORAGE_URL must have an end'],
    [
      'storage at something else than a URL',
      { STORAGE_URL: 's3://k:s@files?endpoint=garage:3900' },
      'STORAGE_URL must have an endpoint that starts',
    ],
    [
      'a parameter of the storage that is not known',
      { STORAGE_URL: 's3://k:s@files?endpoint=http://x&regoin=y' },
      'STORAGE_URL has an unknown parameter: regoin',
    ],
    [
      'storage that nobody may use',
      { STORAGE_URL: 's3://files?endpoint=http://x' },
      'STORAGE_URL needs AWS_ACCESS_KEY_ID',
    ],
    ['regions that are no JSON', { REGIONS: 'WEUR=s3://x' }, 'REGIONS must be JSON'],
    [
      'a region nobody knows',
      { REGIONS: '{"MARS":{"cdn":"https://x"}}' },
      'REGIONS has the unknown region',
    ],
    ['a region with nothing of its own', { REGIONS: '{"OC":{}}' }, 'REGIONS: OC must have'],
    [
      'a part of a region that is not known',
      { REGIONS: '{"OC":{"cdm":"https://x"}}' },
      'REGIONS: OC must have',
    ],
    [
      'a region delivered from nowhere',
      { REGIONS: '{"OC":{"cdn":"oc.example"}}' },
      'REGIONS: OC: cdn must be a URL',
    ],
    [
      'storage of a region that nobody may use',
      { REGIONS: '{"OC":{"storage":"s3://files?region=x"}}' },
      'REGIONS: OC: storage needs AWS_ACCESS_KEY_ID',
    ],
    [
      'a folder in the bucket that is no prefix of keys',
      { STORAGE_URL: 's3://k:s@files/..a?endpoint=http://x' },
      'STORAGE_URL must have a folder',
    ],
  ];
  for (const [what, env, name] of mistakes) {
    test(`refuses ${what}, naming ${name}`, () => {
      const reported = mistakesOf(env);
      expect(reported).toHaveLength(1);
      expect(reported[0]).toStartWith(name);
    });
  }

  test('takes no payments unless told how, and gives a new account a dollar', () => {
    expect(load()).toMatchObject({ stripe: null, cryptomus: null, signupCredit: 1_000_000 });
    const config = load({
      SIGNUP_CREDIT: '0.000001',
      STRIPE_SECRET_KEY: 'sk',
      STRIPE_WEBHOOK_SECRET: 'wh',
      CRYPTOMUS_MERCHANT: 'm',
      CRYPTOMUS_PAYMENT_KEY: 'k',
      CRYPTOMUS_API_BASE: 'http://127.0.0.1:1/',
    });
    expect(config).toMatchObject({
      signupCredit: 1,
      stripe: { secretKey: 'sk', webhookSecret: 'wh', apiBase: 'https://api.stripe.com' },
      cryptomus: { merchant: 'm', paymentKey: 'k', apiBase: 'http://127.0.0.1:1' },
    });
  });

  test('gives a new account no credit once payments are configured, unless told to', () => {
    const stripe = { STRIPE_SECRET_KEY: 'sk', STRIPE_WEBHOOK_SECRET: 'wh' };
    const cryptomus = { CRYPTOMUS_MERCHANT: 'm', CRYPTOMUS_PAYMENT_KEY: 'k' };
    expect(load(stripe).signupCredit).toBe(0);
    expect(load(cryptomus).signupCredit).toBe(0);
    expect(load({ ...stripe, SIGNUP_CREDIT: '1' }).signupCredit).toBe(1_000_000);
  });

  test('takes a sender with a name or without', () => {
    for (const MAIL_FROM of [
      'post@example.com',
      'Wharf <post@example.com>',
      '"W, H" <post@example.com>',
    ]) {
      expect(load({ MAIL_FROM }).mail.from).toBe(MAIL_FROM);
    }
  });

  test('a DATA_DIR that is a file is told in one line', () => {
    const file = join(folder(), 'file');
    writeFileSync(file, '');
    expect(mistakesOf({ DATA_DIR: file })[0]).toStartWith(`DATA_DIR ${file} can't be written to`);
  });

  test('refuses a mail server without a host', () => {
    for (const SMTP_URL of ['smtp://', 'smtps://', 'smtp:///', 'smtp:']) {
      expect([SMTP_URL, mistakesOf({ SMTP_URL })]).toEqual([
        SMTP_URL,
        [expect.stringMatching(/^SMTP_URL (needs a host|must be a URL)/)],
      ]);
    }
    expect(mistakesOf({ SMTP_URL: 'smtp://' })).toEqual([
      'SMTP_URL needs a host, such as smtp://user:password@mail.example.com:587.',
    ]);
  });

  test('picks a free port for PORT=0, and builds all addresses from it', () => {
    const { port, appUrl, cdnUrl, links } = load({ PORT: '0' });
    expect(port).toBeGreaterThan(0);
    expect([appUrl, cdnUrl]).toEqual([`http://127.0.0.1:${port}`, `http://127.0.0.1:${port}/cdn`]);
    expect(links).toEqual({ appUrl, cdnUrl });
    // A host that is not of this machine is reported when the server listens.
    expect(load({ PORT: '0', HOST: '203.0.113.1' }).port).toBe(0);
  });

  test('refuses a host that no address can hold', () => {
    expect(mistakesOf({ HOST: 'not a host' })).toEqual([
      'HOST must be an IP address or a host name, such as 127.0.0.1.',
    ]);
    for (const HOST of ['::', '::1', 'localhost', '0.0.0.0'])
      expect(load({ HOST }).host).toBe(HOST);
  });

  test('tells all mistakes at once', () => {
    expect(mistakesOf({ PORT: 'x', LOG_LEVEL: 'y' })).toHaveLength(2);
  });
});
