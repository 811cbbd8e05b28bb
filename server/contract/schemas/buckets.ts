import { t } from 'elysia';
import { BUCKET_NAME_MAX } from '../limits.ts';
import { REGIONS } from '../regions.ts';
import { TRANSFORM_POLICIES } from '../transforms.ts';
import { code } from './accounts.ts';
import { listQuery, nullableText, pageOf, searchText } from './list-query.ts';
import { namesOf, oneOf } from './one-of.ts';

const regionNames = namesOf(REGIONS);
/** Null means the server's default. */
export const region = oneOf([...regionNames, null], {
  error: 'region must be one of APAC, EEUR, ENAM, OC, WEUR, WNAM, or null.',
});

export const RegionsAnswer = t.Object({ apart: t.Array(oneOf(regionNames)) });

export const CreateBucketBody = t.Object({
  name: t.String({
    minLength: 1,
    maxLength: BUCKET_NAME_MAX,
    error: `The name must have 1 to ${BUCKET_NAME_MAX} characters.`,
  }),
  region: t.Optional(region),
});

export const ChangeBucketBody = t.Object({ name: t.String(), webhook: t.String() });
/** Whether a bucket's images can be asked for in other sizes and formats. */
const transforms = oneOf(TRANSFORM_POLICIES, { error: 'policy must be off or open.' });
export const TransformsBody = t.Object({ policy: transforms });
export const KeyAnswer = t.Object({ api_key: t.String() });
export const SecretAnswer = t.Object({ secret: t.String() });
export const BucketContentsAnswer = t.Object({
  empty: t.Boolean(),
  files: t.Integer(),
  bytes: t.Integer(),
});
export const DeleteBucketBody = t.Object({ email_token: code });

export const BucketListQuery = t.Object({
  ...listQuery,
  name: searchText('name', BUCKET_NAME_MAX),
});

export const bucketStatus = oneOf(['running', 'suspended', 'banned', 'deleting']);

export const BucketAnswer = t.Object({
  id: t.String(),
  name: t.String(),
  webhook: t.String(),
  // When its endpoint answered that it is gone for good; null while it is in use.
  webhook_disabled_at: nullableText,
  region,
  status: bucketStatus,
  total_uploads: t.Integer(),
  usage: t.Integer(),
  // Bytes sent this month, in UTC.
  bandwidth: t.Integer(),
  transforms,
  date: t.String(),
});

/** One bucket opened by its owner's session: the only place that shows the key. */
export const BucketDetailAnswer = t.Composite([BucketAnswer, t.Object({ api_key: t.String() })]);

export const BucketPageAnswer = pageOf(BucketAnswer);

const { cursor, limit } = listQuery;
export const DeliveryListQuery = t.Object({ cursor, limit });

/** What became of one event on its way to the webhook. */
export const DeliveryAnswer = t.Object({
  // The `webhook-id`.
  id: t.String(),
  type: oneOf(['file.success', 'file.error', 'file.deleted', 'webhook.test']),
  state: oneOf(['waiting', 'delivered', 'failed']),
  attempts: t.Integer(),
  // Of the last answer; null where none came, and then `answer` says why.
  status: t.Nullable(t.Integer()),
  // The beginning of the last answer.
  answer: nullableText,
  date: t.String(),
  // Of the next attempt, or of the one that is under way; null when there will be none.
  next: nullableText,
});

export const DeliveryPageAnswer = pageOf(DeliveryAnswer);

/** How many images were made of a bucket's images, and their bytes. */
export const MadeAnswer = t.Object({
  policy: oneOf(TRANSFORM_POLICIES),
  made: t.Integer(),
  bytes: t.Integer(),
});
