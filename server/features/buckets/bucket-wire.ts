import type { BucketWire } from '../../contract/wire.ts';
import type { BucketRow } from './tables.ts';

/** A bucket as the API shows it. `bandwidth` is how many bytes it has sent this month. */
export const toBucketWire = (row: BucketRow, bandwidth: number): BucketWire => ({
  id: row.id,
  name: row.name,
  webhook: row.webhook,
  webhook_disabled_at:
    row.webhook_disabled_at === null ? null : new Date(row.webhook_disabled_at).toISOString(),
  region: row.region,
  status: row.status,
  total_uploads: row.total_uploads,
  usage: row.usage,
  bandwidth,
  transforms: row.transforms,
  date: new Date(row.created_at).toISOString(),
});
