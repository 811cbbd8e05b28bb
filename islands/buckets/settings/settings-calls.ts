import type { DeliveryRules } from '../../../server/contract/delivery-limits.ts';
import type { UploadRules } from '../../../server/contract/files/upload-rules.ts';
import { PAGE_SIZE } from '../../../server/contract/limits.ts';
import type { TransformPolicy } from '../../../server/contract/transforms.ts';
import type {
  BucketWire,
  WebhookAttemptState,
  WebhookType,
} from '../../../server/contract/wire.ts';
import { call } from '../../runtime/api.ts';
import type { IdempotencyHeader } from '../../runtime/idempotency.ts';
import { type DayRange, inViewersZone } from '../../ui/date/day-range.ts';

export const getBucket = (id: string) =>
  call('GET /buckets/:bucketID', { params: { bucketID: id } });

/** What a page changes of a bucket's name and webhook. */
export type BucketChanges = Partial<Pick<BucketWire, 'name' | 'webhook'>>;

export const saveBucket = (id: string, changes: BucketChanges) =>
  call('PUT /buckets/name/webhook/:bucketID', { params: { bucketID: id }, body: changes });

/** Returns how many generated images exist, and their bytes. */
export const getTransforms = (id: string) =>
  call('GET /buckets/transforms/:bucketID', { params: { bucketID: id } });

export const setTransforms = (id: string, policy: TransformPolicy) =>
  call('PUT /buckets/transforms/:bucketID', { params: { bucketID: id }, body: { policy } });

/** The most bytes that a bucket sends in a month and in a day; null for no limit. */
export type BandwidthLimits = { limit: number | null; daily_limit: number | null };

export const setBandwidthLimits = (id: string, body: BandwidthLimits) =>
  call('PUT /buckets/bandwidth-limit/:bucketID', { params: { bucketID: id }, body });

/** For how many days deleted files are kept, and how many earlier versions of a file. */
export type Retention = Pick<BucketWire, 'keep_deleted_days' | 'keep_versions'>;

export const setRetention = (
  id: string,
  body: Partial<Retention & Pick<BucketWire, 'keep_originals' | 'expiry_rules'>>,
) => call('PUT /buckets/retention/:bucketID', { params: { bucketID: id }, body });

export const setDeliveryRules = (id: string, body: Partial<DeliveryRules>) =>
  call('PUT /buckets/delivery-rules/:bucketID', { params: { bucketID: id }, body });

export const setUploadRules = (id: string, body: Partial<UploadRules>) =>
  call('PUT /buckets/upload-rules/:bucketID', { params: { bucketID: id }, body });

/** How S3 clients know the bucket, and whether what they upload is processed. */
export type S3Settings = Pick<
  BucketWire,
  's3_name' | 'process_s3_uploads' | 'list_public' | 'block_public_access'
>;

export const setS3 = (id: string, body: Partial<S3Settings>) =>
  call('PUT /buckets/s3/:bucketID', { params: { bucketID: id }, body });

/** Returns what deleting the bucket would delete with it. */
export const getContents = (id: string) =>
  call('POST /buckets/is/empty/:bucketID', { params: { bucketID: id } });

export const deleteBucket = (id: string, code: string) =>
  call('DELETE /buckets/:bucketID', {
    params: { bucketID: id },
    body: { email_token: Number(code) },
  });

export const getSecret = async (id: string) =>
  (await call('GET /buckets/webhook/secret/:bucketID', { params: { bucketID: id } })).secret;

export const rotateSecret = async (id: string) =>
  (await call('PUT /buckets/roll/webhook-secret/:bucketID', { params: { bucketID: id } })).secret;

/** Which events of a webhook are listed, or sent again. */
export type WebhookFilter = {
  type?: WebhookType;
  state?: WebhookAttemptState;
  range: DayRange | null;
};

const filterOf = ({ type, state, range }: WebhookFilter) => ({
  ...(type && { type }),
  ...(state && { state }),
  ...(range && inViewersZone(range)),
});

export const getWebhookAttempts = (id: string, filter: WebhookFilter, cursor: string) =>
  call('GET /buckets/webhook/attempts/:bucketID', {
    params: { bucketID: id },
    query: { ...filterOf(filter), cursor, limit: PAGE_SIZE },
  });

export const getWebhookAttempt = (id: string, attemptID: string) =>
  call('GET /buckets/webhook/attempts/:bucketID/:attemptID', {
    params: { bucketID: id, attemptID },
  });

export const replayAll = (id: string, filter: WebhookFilter) =>
  call('POST /buckets/webhook/replay/:bucketID', {
    params: { bucketID: id },
    body: { ...filterOf(filter), state: filter.state ?? 'undelivered' },
  });

export const replay = (id: string, attemptID: string) =>
  call('POST /buckets/webhook/replay/:bucketID/:attemptID', {
    params: { bucketID: id, attemptID },
  });

export const sendTest = (id: string, headers: IdempotencyHeader) =>
  call('POST /buckets/webhook/test/:bucketID', { params: { bucketID: id }, headers });

/** The query keys of the calls above. */
export const bucketKey = (id: string) => ['bucket', id];
export const secretKey = (id: string) => ['webhook-secret', id];
export const webhookAttemptsKey = (id: string) => ['webhook-deliveries', id];
export const webhookAttemptKey = (id: string, attemptID: string) => [
  ...webhookAttemptsKey(id),
  'one',
  attemptID,
];
