import type { Actor } from '../../platform/audit/record.ts';

/** What a token grants in one bucket, whether it is still valid there or not. */
export type TokenClaims = {
  /** Unique to each minted token. */
  id: string;
  bucketId: string;
  /** Only this file; null means the whole bucket. */
  fileId: string | null;
  /** The version of the bucket's key that it was minted with; a new key revokes it. */
  keyVersion: number;
  /** Epoch milliseconds; Infinity for none. */
  expiresAt: number;
};

/**
 * Whether the claims of a verified token are valid for a bucket now: the token has not expired, is the bucket's,
 * and was minted with its current key.
 */
export const areValidClaims = (
  claims: TokenClaims,
  bucket: { id: string; key_version: number },
  now: number,
): boolean =>
  claims.expiresAt > now &&
  claims.bucketId === bucket.id &&
  claims.keyVersion === bucket.key_version;

/**
 * Who asks for something. The credential of all but the last two was verified; whether it is enough for what is
 * asked is up to `can`.
 */
export type Principal =
  | { kind: 'session'; userId: string; isAdmin: boolean }
  | { kind: 'api-key'; bucketId: string }
  | { kind: 'write-token'; claims: TokenClaims }
  | { kind: 'read-token'; claims: TokenClaims }
  /** A token that is forged, or for something else. */
  | { kind: 'invalid-token' }
  | { kind: 'nobody' };

export const NOBODY: Principal = { kind: 'nobody' };

type SessionPrincipal = Extract<Principal, { kind: 'session' }>;

export const sessionPrincipal = (session: {
  userId: string;
  isAdmin: boolean;
}): SessionPrincipal => ({ kind: 'session', userId: session.userId, isAdmin: session.isAdmin });

/** Returns the principal of a user's session for what depends on what they own, and not on who the admin is. */
export const ownerPrincipal = (userId: string): SessionPrincipal =>
  sessionPrincipal({ userId, isAdmin: false });

/** A principal that can own uploads. */
export type Uploader = Extract<Principal, { kind: 'session' | 'api-key' | 'write-token' }>;

/** Returns the name under which uploads of a principal are stored, so that only it continues them. */
export function uploaderName(principal: Uploader): string {
  switch (principal.kind) {
    case 'session':
      return `user:${principal.userId}`;
    case 'api-key':
      return 'key';
    case 'write-token':
      return `token:${principal.claims.id}`;
  }
}

/** Returns a principal as the actor of an audit entry. */
export const actorOf = (principal: Uploader): Actor =>
  principal.kind === 'session' ? { userId: principal.userId } : 'key';
