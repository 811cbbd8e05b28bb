import { createHmac, timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { growingTo } from '../../../platform/growing-cache.ts';

const MAX_CACHED_KEYS = 10_000;

/** A secret access key, and what it is cached by. */
export type Secret = {
  /** Identifies the secret, and changes with it. */
  id: string;
  read: () => string;
};

/** The day, as `20130524`, and the region for which a signing key is derived. */
export type KeyScope = { date: string; region: string };

/**
 * Derives the keys that sign requests. One is kept for each secret, since a client uses one region for a whole day:
 * so neither names of regions nor days that a client makes up take memory, or the place of another account's key.
 */
export class SigningKeys {
  private readonly derived = new LRUCache<string, { scope: string; key: Uint8Array }>(
    growingTo(MAX_CACHED_KEYS),
  );

  /** Returns the key that signs with a secret in a scope. */
  get(secret: Secret, { date, region }: KeyScope): Uint8Array {
    const scope = `${date}/${region}`;
    const cached = this.derived.get(secret.id);
    if (cached?.scope === scope) return cached.key;
    const key = deriveSigningKey(secret.read(), { date, region });
    this.derived.set(secret.id, { scope, key });
    return key;
  }
}

/** Returns the key that signs on a day in a region, see "Calculate a signature" in the reference of AWS. */
export const deriveSigningKey = (secret: string, { date, region }: KeyScope): Uint8Array =>
  [date, region, 's3', 'aws4_request'].reduce<Uint8Array>(
    (key, part) => hmac(key, part),
    Buffer.from(`AWS4${secret}`),
  );

/** Returns the signature of a text in lower-case hex. */
export const sign = (signingKey: Uint8Array, text: string): string =>
  hmac(signingKey, text).toString('hex');

/** Compares two signatures in constant time. The length of one is no secret. */
export function isSameSignature(a: string, b: string): boolean {
  const [bytesA, bytesB] = [Buffer.from(a), Buffer.from(b)];
  return bytesA.length === bytesB.length && timingSafeEqual(bytesA, bytesB);
}

const hmac = (key: Uint8Array, text: string): Buffer =>
  createHmac('sha256', key).update(text).digest();
