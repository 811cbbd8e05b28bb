import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
import { MINUTE, SECOND } from '../../../contract/limits.ts';

/** One bucket of an S3 server, and the credentials for it. */
export type S3Settings = {
  bucket: string;
  /** The prefix of all our keys: '' or text that ends in '/'. */
  root: string;
  /** Null for Amazon S3. */
  endpoint: string | null;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken: string | null;
};

/** Names a bucket for people, without its credentials. */
export const describeS3 = ({ bucket, endpoint }: S3Settings): string =>
  `the bucket ${bucket} at ${endpoint ?? 'Amazon S3'}`;

/**
 * Limits of a request. Times are milliseconds; they end requests to a server that accepts connections and
 * then stays silent.
 */
type RequestLimits = {
  attempts: number;
  /** Time without a byte in either direction. */
  socketTimeoutMs: number;
  /** Time until the response begins, by which the whole request must have been sent. */
  responseTimeoutMs: number;
  /** Time after the first attempt in which further attempts may start. */
  retryWindowMs: number;
};

/** With the library's growing delays these are some 20 seconds, in which an S3 server restarts. */
const WRITE_LIMITS: RequestLimits = {
  attempts: 10,
  socketTimeoutMs: 20 * SECOND,
  responseTimeoutMs: MINUTE,
  retryWindowMs: 30 * SECOND,
};
/** A client waits for what is read, and can ask again. */
const READ_LIMITS: RequestLimits = {
  attempts: 3,
  socketTimeoutMs: 10 * SECOND,
  responseTimeoutMs: 10 * SECOND,
  retryWindowMs: 10 * SECOND,
};
/** Each client that receives an object needs a socket. The library's default of 50 would make others wait. */
const MAX_SOCKETS = 1000;

/** A bucket with our prefix in it, and a client for each kind of request. */
export type S3Bucket = {
  name: string;
  root: string;
  reading: S3Client;
  writing: S3Client;
};

/** Creates the clients of a bucket. Connects to nothing yet. */
export function s3Bucket(
  settings: S3Settings,
  {
    reading = READ_LIMITS,
    writing = WRITE_LIMITS,
  }: { reading?: RequestLimits; writing?: RequestLimits } = {},
): S3Bucket {
  return {
    name: settings.bucket,
    root: settings.root,
    reading: clientOf(settings, reading),
    writing: clientOf(settings, writing),
  };
}

/** Returns the settings of the library that suit every S3 server. */
export function clientSettings({
  endpoint,
  region,
  accessKeyId,
  secretAccessKey,
  sessionToken,
}: Omit<S3Settings, 'bucket' | 'root'>): S3ClientConfig {
  return {
    region,
    ...(endpoint && { endpoint }),
    credentials: { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) },
    forcePathStyle: true,
    // Many servers don't know the newer checksums. Requests are signed with the SHA-256 of their bodies
    // anyway.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  };
}

function clientOf(settings: S3Settings, limits: RequestLimits): S3Client {
  const sockets = { keepAlive: true, maxSockets: MAX_SOCKETS };
  const client = new S3Client({
    ...clientSettings(settings),
    maxAttempts: limits.attempts,
    requestHandler: {
      httpAgent: new HttpAgent(sockets),
      httpsAgent: new HttpsAgent(sockets),
      connectionTimeout: 3 * SECOND,
      requestTimeout: limits.responseTimeoutMs,
      throwOnRequestTimeout: true,
      socketTimeout: limits.socketTimeoutMs,
    },
  });
  const usual = client.config.retryStrategy;
  client.config.retryStrategy = async () => withTimeout(await usual(), limits.retryWindowMs);
  return client;
}

type Strategy = Awaited<ReturnType<S3Client['config']['retryStrategy']>>;
type Tokens = Extract<Strategy, { acquireInitialRetryToken: unknown }>;

/**
 * Wraps the library's retry strategy so that no attempt starts later than `retryWindowMs` after the
 * first one. The library itself only counts attempts, and ten of them without a response take ten minutes.
 */
function withTimeout(usual: Strategy, retryWindowMs: number): Strategy {
  if (!('acquireInitialRetryToken' in usual))
    throw new Error('The S3 library retries in a new way.');
  const firstAttemptAt = new WeakMap<object, number>();
  const limited: Tokens = {
    async acquireInitialRetryToken(scope) {
      const token = await usual.acquireInitialRetryToken(scope);
      firstAttemptAt.set(token, performance.now());
      return token;
    },
    async refreshRetryTokenForRetry(token, failure) {
      const since = firstAttemptAt.get(token) ?? performance.now();
      if (performance.now() - since >= retryWindowMs) throw failure.error;
      const next = await usual.refreshRetryTokenForRetry(token, failure);
      firstAttemptAt.set(next, since);
      return next;
    },
    recordSuccess: (token) => usual.recordSuccess(token),
  };
  return limited;
}
