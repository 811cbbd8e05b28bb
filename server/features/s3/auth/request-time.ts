import { MINUTE, SECOND } from '../../../contract/limits.ts';
import { S3Error } from '../errors.ts';
import type { SignatureParameters } from './signature-parameters.ts';

const MAX_SKEW_MS = 15 * MINUTE;

/**
 * Throws S3Error where a request was signed too long ago or in the future, so that one that was recorded can't be
 * sent again for ever.
 * @param now epoch milliseconds
 */
export function requireInTime(
  { at, expiresIn, timestamp }: Pick<SignatureParameters, 'at' | 'expiresIn' | 'timestamp'>,
  now: number,
): void {
  const serverTime = new Date(now).toISOString();
  if (expiresIn === null) {
    if (Math.abs(now - at) <= MAX_SKEW_MS) return;
    throw new S3Error(
      'RequestTimeTooSkewed',
      `The request was signed at ${timestamp}, but this server's clock says ${serverTime}. Correct the clock that is wrong.`,
      {
        RequestTime: timestamp,
        ServerTime: serverTime,
        MaxAllowedSkewMilliseconds: String(MAX_SKEW_MS),
      },
    );
  }
  if (at > now + MAX_SKEW_MS) {
    throw new S3Error('AccessDenied', 'The presigned URL is not yet valid.', {
      ServerTime: serverTime,
    });
  }
  const expiresAt = at + expiresIn * SECOND;
  if (now < expiresAt) return;
  throw new S3Error('AccessDenied', 'The presigned URL has expired.', {
    Expires: new Date(expiresAt).toISOString(),
    'X-Amz-Expires': String(expiresIn),
    ServerTime: serverTime,
  });
}
