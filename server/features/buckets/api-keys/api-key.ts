import { createHash, randomBytes } from 'node:crypto';
import type { ApiKeyWire, KeyScope } from '../../../contract/wire.ts';
import { newId } from '../../../platform/ids.ts';
import { type Keys, mac, macs, seal, unseal } from '../../../platform/secrets/secrets.ts';
import type { ApiKeyRow } from './tables.ts';

const KEY = /^whf_(n_)?[A-Za-z0-9_-]{43}$/;
/** Tells a key that a bucket has beside its primary one, before it is looked up. */
const NAMED_PREFIX = 'whf_n_';
const PRIMARY_LENGTH = 'whf_'.length + 43;

const randomText = () => randomBytes(32).toString('base64url');

/**
 * Returns a new API key of 256 random bits. By the prefix, people and secret scanners recognise it.
 */
export const newApiKey = (): string => `whf_${randomText()}`;

/** Whether a text has the form of an API key; it may still be the key of no bucket. */
export const looksLikeApiKey = (text: string): boolean => KEY.test(text);

/** Returns the hashes by which the row of an API key is found. */
export const apiKeyHashes = (keys: Keys, apiKey: string): string[] =>
  apiKey.length === PRIMARY_LENGTH
    ? macs(keys.all('api-key-lookup'), apiKey)
    : [hashOfNamedKey(apiKey)];

/**
 * A named key is stored nowhere, so no MAC of it could be made with a new secret. A plain hash of 256 random bits
 * can't be reversed either.
 */
const hashOfNamedKey = (apiKey: string) => createHash('sha256').update(apiKey).digest('base64url');

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

/** Returns a new key that a bucket has beside its primary one, and its row. */
export function newNamedKey(
  now: number,
  bucketId: string,
  form: { name: string; scope: KeyScope; expiresAt: number | null },
): { apiKey: string; row: ApiKeyRow } {
  const apiKey = NAMED_PREFIX + randomText();
  const row = {
    id: newId(now),
    bucket_id: bucketId,
    name: form.name,
    scope: form.scope,
    key_hash: hashOfNamedKey(apiKey),
    key_sealed: null,
    expires_at: form.expiresAt,
    last_used_at: null,
    created_at: now,
  };
  return { apiKey, row };
}

/** Returns a key as the API shows it, without the key itself. */
export const toApiKeyWire = (row: ApiKeyRow): ApiKeyWire => ({
  id: row.id,
  name: row.name,
  scope: row.scope,
  is_primary: row.id === row.bucket_id,
  expires: toText(row.expires_at),
  last_used: toText(row.last_used_at),
  date: new Date(row.created_at).toISOString(),
});

const toText = (at: number | null) => (at === null ? null : new Date(at).toISOString());

/** Returns the key of a primary key's row. */
export const openApiKey = (keys: Keys, { bucket_id, key_sealed }: ApiKeyRow): string =>
  unseal(keys.all('api-key-seal'), key_sealed ?? '', bucket_id);
