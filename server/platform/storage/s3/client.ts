import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { S3Client } from '@aws-sdk/client-s3';
import { MINUTE, SECOND } from '../../../contract/limits.ts';

/** One bucket of an S3 server, and who we are there. */
export type S3Settings = {
  bucket: string;
  /** What all our keys begin with: '' or text that ends in '/'. */
  root: string;
  /** Null is Amazon's own. */
  endpoint: string | null;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken: string | null;
};

/** For a person; holds no secret. */
export const describeS3 = ({ bucket, endpoint }: S3Settings): string =>
  `the bucket ${bucket} at ${endpoint ?? 'Amazon S3'}`;

/** What a request may take, in milliseconds; a server that takes connections and is silent must not hold it. */
type Patience = {
  attempts: number;
  /** Without a byte in either direction. */
  silence: number;
  /** Until the answer begins: all that is sent must have been sent by then. */
  answer: number;
  /** After so long from the first attempt on, none is added. */
  all: number;
};

/** Some 20 seconds with the library's growing waits: an S3 server that is restarted is back by then. */
const WRITING: Patience = { attempts: 10, silence: 20 * SECOND, answer: MINUTE, all: 30 * SECOND };
/** Somebody waits for what is read, and may ask again. */
const READING: Patience = {
  attempts: 3,
  silence: 10 * SECOND,
  answer: 10 * SECOND,
  all: 10 * SECOND,
};
/** One for every client that is being sent something; the library's own 50 would make others wait. */
const MAX_SOCKETS = 1000;

/** A bucket, with our prefix in it, and the ways to speak to it. */
export type S3Bucket = {
  name: string;
  root: string;
  reading: S3Client;
  writing: S3Client;
};

/** Connects to nothing yet. */
export function s3Bucket(
  settings: S3Settings,
  { reading = READING, writing = WRITING }: { reading?: Patience; writing?: Patience } = {},
): S3Bucket {
  return {
    name: settings.bucket,
    root: settings.root,
    reading: clientOf(settings, reading),
    writing: clientOf(settings, writing),
  };
}

function clientOf(settings: S3Settings, patience: Patience): S3Client {
  const { endpoint, region, accessKeyId, secretAccessKey, sessionToken } = settings;
  const sockets = { keepAlive: true, maxSockets: MAX_SOCKETS };
  const client = new S3Client({
    region,
    ...(endpoint && { endpoint }),
    credentials: { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) },
    forcePathStyle: true,
    // Newer checksums are unknown to many servers; what is sent is signed with its SHA-256 anyway.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: patience.attempts,
    requestHandler: {
      httpAgent: new HttpAgent(sockets),
      httpsAgent: new HttpsAgent(sockets),
      connectionTimeout: 3 * SECOND,
      requestTimeout: patience.answer,
      throwOnRequestTimeout: true,
      socketTimeout: patience.silence,
    },
  });
  const usual = client.config.retryStrategy;
  client.config.retryStrategy = async () => withTimeout(await usual(), patience.all);
  return client;
}

type Strategy = Awaited<ReturnType<S3Client['config']['retryStrategy']>>;
type Tokens = Extract<Strategy, { acquireInitialRetryToken: unknown }>;

/**
 * The library's own strategy, but none of its attempts begins later than `all` milliseconds after the
 * first: it counts them only, and ten that nobody answers are ten minutes.
 */
function withTimeout(usual: Strategy, all: number): Strategy {
  if (!('acquireInitialRetryToken' in usual))
    throw new Error('The S3 library retries in a new way.');
  const begun = new WeakMap<object, number>();
  const limited: Tokens = {
    async acquireInitialRetryToken(scope) {
      const token = await usual.acquireInitialRetryToken(scope);
      begun.set(token, performance.now());
      return token;
    },
    async refreshRetryTokenForRetry(token, failure) {
      const since = begun.get(token) ?? performance.now();
      if (performance.now() - since >= all) throw failure.error;
      const next = await usual.refreshRetryTokenForRetry(token, failure);
      begun.set(next, since);
      return next;
    },
    recordSuccess: (token) => usual.recordSuccess(token),
  };
  return limited;
}
