import type {
  BucketWire,
  WebhookAttemptDetailWire,
  WebhookAttemptWire,
} from '../../contract/wire.ts';
import type { WebhookAttemptRow } from '../../platform/webhooks/tables.ts';
import { parseRules } from './delivery-rules/rules.ts';
import { parseExpiryRules } from './expiry-rules/rules.ts';
import { isPublicBlocked } from './s3/access.ts';
import type { BucketRow } from './tables.ts';
import { parseUploadRules } from './upload-rules/rules.ts';

/** Returns a bucket as the API shows it. `bandwidth` is how many bytes it has sent this month. */
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
  bandwidth_limit: row.bandwidth_limit,
  bandwidth_daily_limit: row.bandwidth_daily_limit,
  delivery_stopped_until:
    row.delivery_stopped_until === null ? null : new Date(row.delivery_stopped_until).toISOString(),
  ...parseRules(row.delivery_rules),
  keep_deleted_days: row.keep_deleted_days,
  keep_versions: row.keep_versions,
  keep_originals: row.keep_originals === 1,
  expiry_rules: parseExpiryRules(row.expiry_rules),
  ...parseUploadRules(row),
  s3_name: row.s3_name,
  process_s3_uploads: row.process_s3 === 1,
  list_public: row.lists_public === 1,
  block_public_access: isPublicBlocked(row),
  date: new Date(row.created_at).toISOString(),
});

/** Returns a webhook delivery as the bucket's owner sees it. */
export const toWebhookAttemptWire = (row: WebhookAttemptRow): WebhookAttemptWire => ({
  id: row.id,
  type: row.type,
  state: row.state,
  attempts: row.attempts,
  status: row.answer_status,
  response: row.answer_text,
  date: new Date(row.created_at).toISOString(),
  next: row.state === 'waiting' ? new Date(nextAttempt(row)).toISOString() : null,
});

/** Returns a delivery with all that its last attempt sent. */
export const toWebhookAttemptDetailWire = (row: WebhookAttemptRow): WebhookAttemptDetailWire => ({
  ...toWebhookAttemptWire(row),
  payload: row.body,
  request_url: row.sent_url,
  request_headers: row.sent_headers === null ? null : JSON.parse(row.sent_headers),
  attempted: row.attempted_at === null ? null : new Date(row.attempted_at).toISOString(),
});

/** An attempt in progress counts as the next one, because `due_at` is then when its lease ends. */
const nextAttempt = ({ claim, attempted_at, due_at }: WebhookAttemptRow) =>
  claim === null ? due_at : Math.min(attempted_at ?? due_at, due_at);
