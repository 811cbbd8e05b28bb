import type { Region } from '../../contract/regions.ts';
import { foldName } from '../../platform/db/listing.ts';
import { newId } from '../../platform/ids.ts';
import type { Keys } from '../../platform/secrets/keys.ts';
import { keyColumns, newApiKey } from './api-key/api-key.ts';
import type { BucketRow } from './tables.ts';

/** The row of an empty bucket with a new API key, made at `now` in epoch milliseconds. */
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
    suspended_at: null,
    banned_at: null,
    ...keyColumns(keys, id, newApiKey()),
    key_version: 1,
    total_uploads: 0,
    usage: 0,
    transforms: 'open',
    created_at: now,
  };
}
