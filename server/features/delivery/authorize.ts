import { AppError, notFound, paymentRequired, tooMany, unauthorized } from '../../errors.ts';
import type { Refusal } from '../access/can.ts';
import { NOBODY, type Principal, type TokenClaims } from '../access/principal.ts';

/**
 * Returns the principal of a URL.
 * @param claims what its read token grants; null for a token that could not be verified, undefined without one
 */
export function readerOf(claims: TokenClaims | null | undefined): Principal {
  if (claims === undefined) return NOBODY;
  return claims ? { kind: 'read-token', claims } : { kind: 'invalid-token' };
}

/**
 * Returns the error for a refusal. A hidden bucket looks like one that does not exist.
 * @param retryAfter the milliseconds until a bucket that has reached its bandwidth limit is
 *   delivered again
 */
export function toDeliveryError(refusal: Refusal, retryAfter: number): AppError {
  switch (refusal) {
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
    default:
      return notFound('File');
  }
}
