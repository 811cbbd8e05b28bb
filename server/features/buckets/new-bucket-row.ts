import type { Region } from '../../contract/regions.ts';
import { foldName } from '../../platform/db/listing.ts';
import { newId } from '../../platform/ids.ts';
import type { BucketRow } from './tables.ts';

/** Returns the row of an empty bucket. `now` is in epoch milliseconds. */
export function newBucketRow(
  now: number,
  bucket: { userId: string; name: string; region: Region | null; s3Name?: string | null },
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
    unused_key_mac: id,
    key_version: 1,
    token_ids: null,
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
    keep_deleted_days: 0,
    keep_versions: 0,
    was_versioned: 0,
    keep_originals: 1,
    allowed_types: null,
    max_file_bytes: null,
    storage_limit: null,
    expiry_rules: null,
    expiry_due_at: null,
    expiry_position: '',
    s3_name: bucket.s3Name ?? null,
    s3_named_at: bucket.s3Name == null ? null : now,
    lists_public: 0,
    ignores_public: 0,
    s3_access: null,
    process_s3: 0,
    has_source: 0,
    tags: null,
    created_at: now,
  };
}
