import { AppError } from '../../errors.ts';
import type { Refusal } from '../access/can.ts';
import { S3Error, type S3ErrorCode } from './errors.ts';

export const noSuchBucket = () => new S3Error('NoSuchBucket', "The bucket doesn't exist.");

export const noSuchKey = (key: string, headers: Record<string, string> = {}) =>
  new S3Error('NoSuchKey', 'No object has this key.', { Key: key }, headers);

export const notPublic = () =>
  new S3Error('AccessDenied', 'The object is not public, or does not exist.');

const TEXTS: Partial<Record<Refusal, string>> = {
  'read-only': 'This access key can only read.',
  'write-only': 'This access key can only write.',
  banned: 'The bucket is banned. Contact the operator of this server.',
  unpaid: 'The bucket is suspended. Top up the account to upload again.',
  suspended: 'The bucket is suspended. Top up the account to open its files.',
  'limit-reached': 'The bucket has reached its bandwidth limit.',
  forbidden: 'Only an access key that can read and write all buckets of the account can do this.',
  unauthenticated: 'This needs a signed request.',
};

/** Returns the error for what `can` refuses. A bucket of another account looks like one that does not exist. */
export function toRefusal(refusal: Refusal): S3Error {
  if (refusal === 'hidden' || refusal === 'deleting') return noSuchBucket();
  return new S3Error('AccessDenied', TEXTS[refusal] ?? "This access key can't do this.");
}

/** The codes for errors of the services below. Clients repeat a request by them. */
const CODES: Partial<Record<AppError['code'], S3ErrorCode>> = {
  'bad-request': 'InvalidRequest',
  banned: 'AccessDenied',
  'bandwidth-limit': 'AccessDenied',
  'bucket-full': 'QuotaExceeded',
  conflict: 'OperationAborted',
  'ip-refused': 'AccessDenied',
  'not-found': 'NoSuchKey',
  'path-taken': 'OperationAborted',
  'payment-required': 'AccessDenied',
  'quota-exceeded': 'QuotaExceeded',
  'referrer-refused': 'AccessDenied',
  'too-large': 'EntityTooLarge',
  'too-many': 'SlowDown',
  'type-refused': 'InvalidRequest',
  unauthorized: 'AccessDenied',
  forbidden: 'AccessDenied',
  gone: 'OperationAborted',
  invalid: 'InvalidRequest',
};

/** Returns the error that a client is answered with; undefined where an error was not expected. */
export function toS3Error(error: unknown): S3Error | undefined {
  if (error instanceof S3Error) return error;
  if (!(error instanceof AppError)) return undefined;
  const code = CODES[error.code] ?? (error.status >= 500 ? 'ServiceUnavailable' : 'InvalidRequest');
  const retryAfter = error.headers['retry-after'];
  return new S3Error(
    code,
    error.text,
    {},
    retryAfter === undefined ? {} : { 'retry-after': retryAfter },
  );
}
