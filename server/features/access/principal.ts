import type { KeyScope } from '../../contract/wire.ts';
import type { Actor } from '../../platform/audit/record.ts';

/** What a token grants in one bucket, whether it is still valid there or not. */
export type TokenClaims = {
  /** Unique to each minted token. */
  id: string;
  bucketId: string;
  /** Only this file; null means the whole bucket. */
  fileId: string | null;
  /** Only the files whose path begins with this, which ends in a slash; null means all. */
  prefix: string | null;
  /** The version of the bucket's key that it was minted with; a new key revokes it. */
  keyVersion: number;
  /** The named API key that minted it, whose deletion revokes it; null where the primary key or the owner did. */
  keyId: string | null;
  /** Whether it has a name, and is valid only as long as its bucket has its id. */
  isListed: boolean;
  /** Epoch milliseconds; Infinity for none. */
  expiresAt: number;
};

/** What a bucket says about its tokens and about the keys that they were minted with. */
export type TokensOfBucket = {
  key_version: number;
  key_ids: string | null;
  token_ids: string | null;
};

/** Whether a token was revoked: its bucket has neither its id any more, if it is listed, nor the keys it was minted with. */
export const isRevoked = (
  { id, keyVersion, keyId, isListed }: TokenClaims,
  { key_version, key_ids, token_ids }: TokensOfBucket,
): boolean =>
  keyVersion !== key_version ||
  (keyId !== null && !key_ids?.includes(keyId)) ||
  (isListed && !token_ids?.includes(id));

/**
 * Whether the claims of a verified token are valid for a bucket now: the token has not expired, is the bucket's,
 * and was not revoked.
 */
export const areValidClaims = (
  claims: TokenClaims,
  bucket: { id: string } & TokensOfBucket,
  now: number,
): boolean => claims.expiresAt > now && claims.bucketId === bucket.id && !isRevoked(claims, bucket);

/**
 * Who asks for something. The credential of all but the last two was verified; whether it is enough for what is
 * asked is up to `can`.
 */
export type Principal =
  | { kind: 'session'; userId: string; isAdmin: boolean }
  | KeyPrincipal
  | S3KeyPrincipal
  | { kind: 'write-token'; claims: TokenClaims }
  | { kind: 'read-token'; claims: TokenClaims }
  /** A token that is forged, or for something else. */
  | { kind: 'invalid-token' }
  | { kind: 'nobody' };

type KeyPrincipal = {
  kind: 'api-key';
  bucketId: string;
  /** The id of a named key; null for the primary one. */
  keyId: string | null;
  scope: KeyScope;
  /** Epoch milliseconds; null for never. */
  expiresAt: number | null;
};

/** What an access key of the S3 API may do. */
export type S3KeyAccess = 'read' | 'write' | 'both';

/** An access key of an account for the S3 API. */
export type S3KeyPrincipal = {
  kind: 's3-key';
  /** The id of its row. */
  keyId: string;
  /** The account whose buckets it opens. */
  userId: string;
  access: S3KeyAccess;
  /** The ids of the buckets that it opens; null for all of the account. */
  bucketIds: readonly string[] | null;
};

export const NOBODY: Principal = { kind: 'nobody' };

type SessionPrincipal = Extract<Principal, { kind: 'session' }>;

export const sessionPrincipal = (session: {
  userId: string;
  isAdmin: boolean;
}): SessionPrincipal => ({ kind: 'session', userId: session.userId, isAdmin: session.isAdmin });

/** Returns the principal of a user's session for what depends on what they own, and not on who the admin is. */
export const ownerPrincipal = (userId: string): SessionPrincipal =>
  sessionPrincipal({ userId, isAdmin: false });

/** Returns the principal of an API key of a bucket, whose primary key has its id. */
export const keyPrincipal = (
  bucketId: string,
  key: { id: string; scope: KeyScope; expires_at: number | null },
): KeyPrincipal => ({
  kind: 'api-key',
  bucketId,
  keyId: key.id === bucketId ? null : key.id,
  scope: key.scope,
  expiresAt: key.expires_at,
});

/** A principal that can own uploads. */
export type Uploader = Extract<
  Principal,
  { kind: 'session' | 'api-key' | 's3-key' | 'write-token' }
>;

/** Returns the name under which uploads of a principal are stored, so that only it continues them. */
export function uploaderName(principal: Uploader): string {
  switch (principal.kind) {
    case 'session':
      return `user:${principal.userId}`;
    case 'api-key':
      // Uploads from before there were named keys are the primary one's.
      return principal.keyId === null ? 'key' : `key:${principal.keyId}`;
    case 's3-key':
      return `s3-key:${principal.keyId}`;
    case 'write-token':
      return `token:${principal.claims.id}`;
  }
}

/** Returns a principal as the actor of an audit entry. A token acts for the key that created it. */
export function actorOf(principal: Uploader): Actor {
  if (principal.kind === 'session') return { userId: principal.userId };
  if (principal.kind === 's3-key') return { keyId: principal.keyId };
  const { bucketId, keyId } = principal.kind === 'api-key' ? principal : principal.claims;
  return { keyId: keyId ?? bucketId };
}
