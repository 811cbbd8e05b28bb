import { AppError, notFound, paymentRequired, tooMany, unauthorized } from '../../errors.ts';
import { type Bucket, isSuspended } from '../buckets/service.ts';
import type { DeliveredFile } from '../files/service.ts';
import { type Grant, isValidGrant } from '../tokens/service.ts';

/** Why a file is not delivered. */
export type DeliveryDenial =
  | 'hidden'
  | 'suspended'
  | 'limit-reached'
  | 'token-missing'
  | 'token-invalid';

/**
 * Decides who may open a file. The decision covers all of its objects: an image and its transforms,
 * a video's playlists, segments, previews and poster, and what is playable while it is processed.
 * @param grant what the URL's read token grants, valid or not; null for a token that could not be
 *   verified, undefined for a URL without one
 * @param now epoch milliseconds
 * @returns null where the file may be opened
 */
export function authorizeDelivery(
  file: Pick<DeliveredFile, 'id' | 'access'>,
  bucket: Pick<
    Bucket,
    'id' | 'status' | 'delivery_until' | 'key_version' | 'delivery_stopped_until'
  >,
  grant: Grant | null | undefined,
  now: number,
): DeliveryDenial | null {
  if (bucket.status === 'deleting' || bucket.status === 'banned') return 'hidden';
  if (isSuspended(bucket, now)) return 'suspended';
  if (now < (bucket.delivery_stopped_until ?? 0)) return 'limit-reached';
  if (file.access === 'public') return null;
  if (grant === undefined) return 'token-missing';
  const isGranted =
    grant !== null &&
    isValidGrant(grant, bucket, now) &&
    (grant.fileId === null || grant.fileId === file.id);
  return isGranted ? null : 'token-invalid';
}

/**
 * Returns the error for a refusal. A hidden bucket looks like one that does not exist.
 * @param retryAfter the milliseconds until a bucket that has reached its bandwidth limit is
 *   delivered again
 */
export function toDeliveryError(denial: DeliveryDenial, retryAfter: number): AppError {
  switch (denial) {
    case 'hidden':
      return notFound('File');
    case 'suspended':
      return paymentRequired('This file is not available until its owner tops up their account.');
    case 'limit-reached':
      return tooMany(
        'This file is not available: its bucket has reached its bandwidth limit.',
        retryAfter,
        'bandwidth-limit',
      );
    case 'token-missing':
      return unauthorized('This file is private. Its URL needs a token.');
    case 'token-invalid':
      return new AppError(403, 'bad-token', "This token isn't valid for this file.");
  }
}
