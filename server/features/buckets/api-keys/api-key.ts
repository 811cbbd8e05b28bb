import { randomBytes } from 'node:crypto';
import { type Keys, mac, macs, seal, unseal } from '../../../platform/secrets/secrets.ts';
import type { ApiKeyRow } from './tables.ts';

const KEY = /^whf_[A-Za-z0-9_-]{43}$/;

/**
 * Returns a new API key of 256 random bits. By the prefix, people and secret scanners recognise it.
 */
export const newApiKey = (): string => `whf_${randomBytes(32).toString('base64url')}`;

/** Whether a text has the form of an API key; it may still be the key of no bucket. */
export const looksLikeApiKey = (text: string): boolean => KEY.test(text);

/** Returns the hashes by which the row of an API key is found. */
export const apiKeyHashes = (keys: Keys, apiKey: string): string[] =>
  macs(keys.all('api-key-lookup'), apiKey);

/**
 * Returns the columns that a primary key has of its own: the sealed key, which its owner may view, and the MAC
 * to find it by.
 */
export const primaryKeyColumns = (keys: Keys, bucketId: string, apiKey: string) => ({
  key_sealed: seal(keys('api-key-seal'), apiKey, bucketId),
  key_hash: mac(keys('api-key-lookup'), apiKey),
});

/** Returns the row of the primary key of a new bucket. */
export const newPrimaryKey = (
  keys: Keys,
  bucket: { id: string; created_at: number },
): ApiKeyRow => ({
  id: bucket.id,
  bucket_id: bucket.id,
  name: 'Primary',
  scope: 'read-write',
  ...primaryKeyColumns(keys, bucket.id, newApiKey()),
  expires_at: null,
  last_used_at: null,
  created_at: bucket.created_at,
});

/** Returns the key of a primary key's row. */
export const openApiKey = (keys: Keys, { bucket_id, key_sealed }: ApiKeyRow): string =>
  unseal(keys.all('api-key-seal'), key_sealed ?? '', bucket_id);
