import { SECOND } from '../../../contract/limits.ts';
import { AppError, storageFull, upstreamUnavailable } from '../../../errors.ts';

type Failure = {
  name?: string;
  code?: unknown;
  message?: string;
  $metadata?: { httpStatusCode?: number };
};

const MISSING = ['NotFound', 'NoSuchKey'];
const FULL = ['QuotaExceeded', 'InsufficientStorage', 'InsufficientCapacity', 'XMinioStorageFull'];
const OVERLOADED = [
  'SlowDown',
  'ServiceUnavailable',
  'RequestTimeout',
  'Throttling',
  'TimeoutError',
];
const NETWORK = [
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
];
const RETRY_AFTER_MS = 5 * SECOND;

/** Returns the status with which a server has answered; 0 where it hasn't. */
export const statusOf = (error: unknown): number =>
  (error as Failure | null)?.$metadata?.httpStatusCode ?? 0;
const nameOf = (error: unknown): string => (error as Failure | null)?.name ?? '';

/** Whether there is no such object. */
export const isMissing = (error: unknown): boolean => MISSING.includes(nameOf(error));

/** Whether the server does not know such a request. */
export const isUnsupported = (error: unknown): boolean => [405, 501].includes(statusOf(error));

/** Whether a retry may help, because the server is unavailable or overloaded. */
export function isTransient(error: unknown): boolean {
  const status = statusOf(error);
  if ((status >= 500 && status !== 501) || status === 429 || OVERLOADED.includes(nameOf(error)))
    return true;
  return NETWORK.includes(String((error as Failure | null)?.code));
}

/**
 * Returns what a caller of the store gets for a failure of the S3 server: an AppError where it may pass,
 * else the error itself.
 */
export function translateErrors(error: unknown): unknown {
  if (error instanceof AppError) return error;
  if (FULL.includes(nameOf(error)) || statusOf(error) === 507) {
    return storageFull(error);
  }
  if (!isTransient(error)) return error;
  return upstreamUnavailable(
    error,
    'The storage is not responding. Try again in a moment.',
    RETRY_AFTER_MS,
  );
}

/** Awaits a call to the server with its failures translated. */
export async function toStorageError<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    throw translateErrors(error);
  }
}

/** Returns for the operator why a bucket could not be reached. */
export function reasonOf(error: unknown): string {
  const status = statusOf(error);
  if (status === 404) return 'the bucket does not exist';
  if (status === 403) return 'the access key is unknown or lacks permission';
  if (status === 301) return 'the bucket is in another region than the URL says';
  const { code, message } = (error ?? {}) as Failure;
  return status ? `it answers ${status}` : String(code ?? message);
}
