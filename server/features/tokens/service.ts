import { jwtVerify, SignJWT } from 'jose';
import { LRUCache } from 'lru-cache';
import { HOUR, SECOND } from '../../contract/limits.ts';
import { invalid } from '../../errors.ts';
import type { Clock } from '../../platform/clock.ts';
import { newId } from '../../platform/ids.ts';
import type { Bucket } from '../buckets/service.ts';

export type Tokens = ReturnType<typeof createTokens>;
type TokenBucket = Pick<Bucket, 'id' | 'key_version'>;
export type Scope = 'read' | 'write';

export type Grant = {
  /** Unique to one minted token. */
  id: string;
  bucketId: string;
  /** Only this file; null means the whole bucket. */
  fileId: string | null;
  keyVersion: number;
  /** Epoch milliseconds; Infinity for none. */
  expiresAt: number;
};

const ISSUER = 'wharf';
const CACHED = 10_000;
const MAX_LENGTH = 2048;
/** The last second of the year 9999. */
const LAST_SECOND = 253_402_300_799;

/** Tokens that grant reading or writing one bucket (JWT, RFC 7519, HS256 only). Rolling the bucket's key kills them. */
export function createTokens({ key, clock }: { key: Uint8Array; clock: Clock }) {
  // A signature costs 54 µs to check, a look-up here nothing; expiry is looked at every time.
  const verified = {
    read: new LRUCache<string, Grant>({ max: CACHED }),
    write: new LRUCache<string, Grant>({ max: CACHED }),
  };

  const verify = async (token: string, scope: Scope): Promise<Grant | null> => {
    if (token.length > MAX_LENGTH) return null;
    const cached = verified[scope].get(token);
    if (cached) return cached;
    try {
      const { payload } = await jwtVerify(token, key, {
        algorithms: ['HS256'],
        issuer: ISSUER,
        audience: scope,
        currentDate: new Date(clock()),
      });
      const { sub, jti, ver, file, exp } = payload;
      if (!sub || !jti || typeof ver !== 'number') return null;
      const grant: Grant = {
        id: jti,
        bucketId: sub,
        fileId: typeof file === 'string' ? file : null,
        keyVersion: ver,
        expiresAt: exp === undefined ? Number.POSITIVE_INFINITY : exp * SECOND,
      };
      verified[scope].set(token, grant);
      return grant;
    } catch {
      return null;
    }
  };

  const mint = (
    bucket: TokenBucket,
    grant: { scope: Scope; expiresAt: number; fileId?: string },
  ): Promise<string> => {
    const now = clock();
    const token = new SignJWT({
      ver: bucket.key_version,
      ...(grant.fileId && { file: grant.fileId }),
    })
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuer(ISSUER)
      .setAudience(grant.scope)
      .setSubject(bucket.id)
      .setJti(newId(now))
      .setIssuedAt(Math.floor(now / SECOND));
    if (grant.expiresAt !== 0) token.setExpirationTime(grant.expiresAt);
    return token.sign(key);
  };

  return {
    /** `expiresAt` is in epoch seconds, 0 for none. Throws invalid for a time that has passed. */
    async mint(
      bucket: TokenBucket,
      grant: { scope: Scope; expiresAt: number; fileId?: string },
    ): Promise<string> {
      const { expiresAt } = grant;
      if (expiresAt > LAST_SECOND) {
        throw invalid('The expiry is in seconds since 1970, not in milliseconds, or 0 for none.');
      }
      if (expiresAt !== 0 && expiresAt * SECOND <= clock()) {
        throw invalid(
          'The expiry must lie in the future, in seconds since 1970, or be 0 for none.',
        );
      }
      return mint(bucket, grant);
    },

    /** The read token that a list of files carries. */
    mintForList: (bucket: TokenBucket) =>
      mint(bucket, { scope: 'read', expiresAt: Math.floor((clock() + HOUR) / SECOND) }),

    /** The read token that the details of one file carry. */
    mintForFile: (bucket: Pick<Bucket, 'id' | 'key_version'>, fileId: string) =>
      mint(bucket, {
        scope: 'read',
        expiresAt: Math.floor((clock() + HOUR) / SECOND),
        fileId,
      }),

    /** What a token grants in this bucket; null for a forged, expired, rolled or foreign one. */
    grant: async (token: string, scope: Scope, bucket: TokenBucket): Promise<Grant | null> =>
      inForce(await verify(token, scope), bucket),

    /** The same for a token that was used lately, without waiting; null says nothing of others. */
    grantAtHand: (token: string, scope: Scope, bucket: TokenBucket): Grant | null =>
      inForce(verified[scope].get(token), bucket),
  };

  function inForce(grant: Grant | null | undefined, bucket: TokenBucket): Grant | null {
    const good =
      grant &&
      grant.expiresAt > clock() &&
      grant.bucketId === bucket.id &&
      grant.keyVersion === bucket.key_version;
    return good ? grant : null;
  }
}
