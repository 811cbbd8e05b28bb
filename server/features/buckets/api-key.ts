import { randomBytes } from 'node:crypto';
import type { Region } from '../../contract/regions.ts';
import { foldName } from '../../platform/db/listing.ts';
import { newId } from '../../platform/ids.ts';
import { type Keys, mac, macs, seal, unseal } from '../../platform/secrets/secrets.ts';
import type { BucketRow } from './tables.ts';

const KEY = /^whf_[A-Za-z0-9_-]{43}$/;

/**
 * Returns a new API key of 256 random bits. By the prefix, people and secret scanners recognise it.
 */
export const newApiKey = (): string => `whf_${randomBytes(32).toString('base64url')}`;

/** Whether a text has the form of an API key; it may still be the key of no bucket. */
export const looksLikeApiKey = (text: string): boolean => KEY.test(text);

/**
 * Returns the columns of a key: the sealed key, which its owner may view, and a MAC to find the
 * bucket by.
 */
export function keyColumns(keys: Keys, bucketId: string, apiKey: string) {
  return {
    api_key_sealed: seal(keys('api-key-seal'), apiKey, bucketId),
    api_key_mac: mac(keys('api-key-lookup'), apiKey),
  };
}

/** Returns the MACs by which the bucket of an API key is found. */
export const apiKeyMacs = (keys: Keys, apiKey: string) => macs(keys.all('api-key-lookup'), apiKey);

/** Returns the API key of a bucket's row. */
export const openApiKey = (keys: Keys, row: { id: string; api_key_sealed: string }) =>
  unseal(keys.all('api-key-seal'), row.api_key_sealed, row.id);

/** Returns the row of an empty bucket with a new API key. `now` is in epoch milliseconds. */
export function newBucketRow(
  keys: Keys,
  now: number,
  bucket: { userId: string; name: string; region: Region | null },
): BucketRow {
  const id = newId(now);
  return {
    id,
    user_id: bucket.userId,
    name: bucket.name,
    name_key: foldName(bucket.name),
    region: bucket.region,
    webhook: '',
    webhook_secret_sealed: null,
    webhook_disabled_at: null,
    status: 'running',
    banned_at: null,
    ...keyColumns(keys, id, newApiKey()),
    key_version: 1,
    total_uploads: 0,
    usage: 0,
    transforms: 'open',
    bandwidth_limit: null,
    bandwidth_daily_limit: null,
    bandwidth_warned_percent: null,
    bandwidth_day_warned_until: null,
    bandwidth_day_warned_percent: null,
    bandwidth_warned_until: null,
    delivery_stopped_until: null,
    delivery_rules: null,
    created_at: now,
  };
}
