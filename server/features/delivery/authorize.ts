import { AppError, notFound, paymentRequired, tooMany, unauthorized } from '../../errors.ts';
import type { Clock } from '../../platform/clock.ts';
import { can, type FileResource, isPublic, type Refusal } from '../access/can.ts';
import { NOBODY, type Principal, type TokenClaims } from '../access/principal.ts';
import type { Tokens } from '../tokens/service.ts';
import { whenReady } from './when-ready.ts';

/**
 * Checks that a URL may open a file, at once where its token was verified before. Returns the token that all
 * objects of a private file need; null for a public file, which needs none, whatever its URL contains.
 * Throws not-found, payment-required, bandwidth-limit, unauthorized, bad-token.
 */
export function authorize(
  { file, bucket }: Pick<FileResource, 'file' | 'bucket'>,
  urlToken: string | null,
  { tokens, clock }: { tokens: Tokens; clock: Clock },
): string | null | Promise<string | null> {
  const token = (!isPublic(file, bucket) && urlToken) || null;
  const claims =
    token === null
      ? undefined
      : (tokens.getVerified(token, 'read') ?? tokens.verify(token, 'read'));
  return whenReady(claims, (verified) => {
    const now = clock();
    const refusal = can(readerOf(verified), 'open-file', { file, bucket, now });
    if (refusal) throw toDeliveryError(refusal, (bucket.delivery_stopped_until ?? now) - now);
    if (verified) tokens.noteUse(verified);
    return token;
  });
}

/**
 * Returns the principal of a URL.
 * @param claims what its read token grants; null for a token that could not be verified, undefined without one
 */
function readerOf(claims: TokenClaims | null | undefined): Principal {
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
