import { type JWTPayload, SignJWT } from 'jose';
import { LRUCache } from 'lru-cache';
import { HOUR, SECOND } from '../../contract/limits.ts';
import { invalid } from '../../errors.ts';
import type { Clock } from '../../platform/clock.ts';
import { growingTo } from '../../platform/growing-cache.ts';
import { newId } from '../../platform/ids.ts';
import type { KeyRing } from '../../platform/secrets/secrets.ts';
import { verifyJwt } from '../../platform/secrets/verify-jwt.ts';
import { areValidClaims, type Principal, type TokenClaims } from '../access/principal.ts';
import type { Bucket } from '../buckets/service.ts';

type TokenBucket = Pick<Bucket, 'id' | 'key_version' | 'key_ids' | 'token_ids'>;
/** Who mints a token of a bucket. One of an API key is revoked with the key, and expires with it at the latest. */
type Minter = { bucket: TokenBucket; principal: Principal };
/** A ZIP is opened by a token that opens nothing else. */
export type Scope = 'read' | 'write' | 'zip';

/** The terms of a new token. `expiresAt` is in epoch seconds, 0 for none. */
export type TokenTerms = { scope: Scope; expiresAt: number } & Limits;
/** Which files a read token opens, or which ZIP its token; each that is left out limits nothing. */
export type Limits = { fileId?: string; prefix?: string };

const ISSUER = 'wharf';
const MAX_CACHED_GRANTS = 10_000;
const MAX_TOKEN_LENGTH = 2048;
/** The last second of the year 9999. */
const LAST_SECOND = 253_402_300_799;

/**
 * Tokens that grant reading or writing one bucket (JWT, RFC 7519, HS256 only). They carry the
 * version of the bucket's key, so a new key revokes them.
 */
export class Tokens {
  // A cached grant saves verifying the signature, which takes 54 µs. Expiry is checked on every
  // use.
  private readonly verified = {
    read: new LRUCache<string, TokenClaims>(growingTo(MAX_CACHED_GRANTS)),
    write: new LRUCache<string, TokenClaims>(growingTo(MAX_CACHED_GRANTS)),
    zip: new LRUCache<string, TokenClaims>(growingTo(MAX_CACHED_GRANTS)),
  };

  constructor(
    private readonly deps: {
      keys: KeyRing;
      clock: Clock;
      /** Called with the id of a listed token that was used. */
      onUse?: (id: string) => void;
    },
  ) {}

  /**
   * Creates a token, which is revoked with its key. Throws invalid for an expiry that has passed, and for a write token
   * of some files: it would allow uploads to the whole bucket.
   */
  async mint(minter: Minter, terms: TokenTerms): Promise<string> {
    this.requireValid(terms);
    return this.sign(minter, terms);
  }

  /**
   * Creates a token that is valid as long as its bucket lists it. Throws what `mint` does.
   * @param list lists the token, with its expiry in epoch milliseconds
   */
  async mintListed(
    minter: Minter,
    terms: TokenTerms,
    list: (token: { id: string; expires_at: number | null }) => Promise<void>,
  ): Promise<{ jwt: string; id: string }> {
    this.requireValid(terms);
    const id = newId(this.deps.clock());
    await list({ id, expires_at: expiryOf(minter, terms) * SECOND || null });
    return { jwt: await this.sign(minter, terms, id), id };
  }

  /** Creates the read token of a list of files, which is valid for an hour. */
  mintForList(minter: Minter): Promise<string> {
    return this.sign(minter, { scope: 'read', expiresAt: this.inAnHour() });
  }

  /** Creates the read token of a file's details, which is valid for an hour. */
  mintForFile(minter: Minter, fileId: string): Promise<string> {
    return this.sign(minter, { scope: 'read', expiresAt: this.inAnHour(), fileId });
  }

  /** Creates the token of the link to a ZIP, which is valid until `expiresAt` (epoch seconds). */
  mintForZip(minter: Minter, zipId: string, expiresAt: number): Promise<string> {
    return this.sign(minter, { scope: 'zip', expiresAt, fileId: zipId });
  }

  /**
   * Returns what a token grants in a bucket; null for a token that is forged, expired, revoked or
   * of another bucket.
   */
  async grant(token: string, scope: Scope, bucket: TokenBucket): Promise<TokenClaims | null> {
    const grant = await this.verify(token, scope);
    return grant && areValidClaims(grant, bucket, this.deps.clock()) ? grant : null;
  }

  /**
   * Verifies the signature of a token and returns what it grants; null for a token that is forged
   * or has expired. Whether the grant is valid for a file is up to `can`.
   */
  async verify(token: string, scope: Scope): Promise<TokenClaims | null> {
    if (token.length > MAX_TOKEN_LENGTH) return null;
    const cached = this.verified[scope].get(token);
    if (cached) return cached;
    try {
      const payload = await verifyJwt(token, this.deps.keys, {
        algorithms: ['HS256'],
        issuer: ISSUER,
        audience: scope,
        currentDate: new Date(this.deps.clock()),
      });
      const grant = toGrant(payload);
      if (grant) this.verified[scope].set(token, grant);
      return grant;
    } catch {
      return null;
    }
  }

  /**
   * The cached grant of a token; null where the token has not been verified yet, which may still be
   * valid.
   */
  getVerified(token: string, scope: Scope): TokenClaims | null {
    return this.verified[scope].get(token) ?? null;
  }

  private requireValid({ scope, expiresAt, fileId, prefix }: TokenTerms): void {
    if (scope === 'write' && (fileId || prefix)) {
      throw invalid('A write token is for the whole bucket. Leave out file_id and prefix.');
    }
    if (expiresAt > LAST_SECOND) {
      throw invalid('The expiry must be in epoch seconds, not milliseconds, or 0 for none.');
    }
    if (expiresAt !== 0 && expiresAt * SECOND <= this.deps.clock()) {
      throw invalid('The expiry must be in the future, in epoch seconds, or 0 for none.');
    }
  }

  private inAnHour(): number {
    return Math.floor((this.deps.clock() + HOUR) / SECOND);
  }

  /** Notes that a token was used, if it is a listed one. */
  noteUse({ id, isListed }: Pick<TokenClaims, 'id' | 'isListed'>): void {
    if (isListed) this.deps.onUse?.(id);
  }

  private sign(minter: Minter, terms: TokenTerms, listedId?: string): Promise<string> {
    const { bucket, principal } = minter;
    const now = this.deps.clock();
    const { scope, fileId, prefix } = terms;
    const keyId = principal.kind === 'api-key' ? principal.keyId : null;
    const claims = {
      ...(fileId && { file: fileId }),
      ...(prefix && { prefix }),
      ...(keyId && { key: keyId }),
      ...(listedId && { listed: true }),
    };
    const expiresAt = expiryOf(minter, terms);
    const token = new SignJWT({ ver: bucket.key_version, ...claims })
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuer(ISSUER)
      .setAudience(scope)
      .setSubject(bucket.id)
      .setJti(listedId ?? newId(now))
      .setIssuedAt(Math.floor(now / SECOND));
    if (expiresAt !== 0) token.setExpirationTime(expiresAt);
    const [key] = this.deps.keys;
    return token.sign(key);
  }
}

/** Returns when a new token expires, in epoch seconds: with the key that creates it at the latest; 0 for never. */
function expiryOf({ principal }: Minter, terms: TokenTerms): number {
  const keyExpiry = principal.kind === 'api-key' ? (principal.expiresAt ?? 0) : 0;
  const keyExpiresAt = Math.floor(keyExpiry / SECOND);
  return Math.min(terms.expiresAt || keyExpiresAt, keyExpiresAt || terms.expiresAt);
}

function toGrant({
  sub,
  jti,
  ver,
  key,
  listed,
  file,
  prefix,
  exp,
}: JWTPayload): TokenClaims | null {
  if (!sub || !jti || typeof ver !== 'number') return null;
  return {
    id: jti,
    bucketId: sub,
    fileId: typeof file === 'string' ? file : null,
    prefix: typeof prefix === 'string' ? prefix : null,
    keyVersion: ver,
    keyId: typeof key === 'string' ? key : null,
    isListed: listed === true,
    expiresAt: exp === undefined ? Number.POSITIVE_INFINITY : exp * SECOND,
  };
}
