import type { TransformPolicy } from '../../../server/contract/transforms.ts';
import type { BucketWire } from '../../../server/contract/wire.ts';
import { api, call } from '../../runtime/api.ts';

export const getBucket = (id: string) => call(api.buckets({ bucketID: id }).get());

export const saveBucket = (id: string, form: Pick<BucketWire, 'name' | 'webhook'>) =>
  call(api.buckets.name.webhook({ bucketID: id }).put(form));

/** How many images turning transforms off would remove, and their bytes. */
export const getMade = (id: string) => call(api.buckets.transforms({ bucketID: id }).get());

export const setTransforms = (id: string, policy: TransformPolicy) =>
  call(api.buckets.transforms({ bucketID: id }).put({ policy }));

/** What its deletion would wipe. */
export const getContents = (id: string) => call(api.buckets.is.empty({ bucketID: id }).post());

export const deleteBucket = (id: string, code: string) =>
  call(api.buckets({ bucketID: id }).delete({ email_token: Number(code) }));

export const getSecret = async (id: string) =>
  (await call(api.buckets.webhook.secret({ bucketID: id }).get())).secret;

export const rollSecret = async (id: string) =>
  (await call(api.buckets.roll['webhook-secret']({ bucketID: id }).put())).secret;

export const getDeliveries = (id: string, cursor: string) =>
  call(api.buckets.webhook.deliveries({ bucketID: id }).get({ query: { cursor, limit: 50 } }));

export const replay = (id: string, deliveryID: string) =>
  call(api.buckets.webhook.replay({ bucketID: id })({ deliveryID }).post());

export const sendTest = (id: string) => call(api.buckets.webhook.test({ bucketID: id }).post());

/** Under which the answers of these calls are kept. */
export const bucketKey = (id: string) => ['bucket', id];
export const secretKey = (id: string) => ['webhook-secret', id];
export const deliveriesKey = (id: string) => ['webhook-deliveries', id];
