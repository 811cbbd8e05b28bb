import { t } from 'elysia';
import { BUCKET_NAME_MAX } from '../../contract/limits.ts';
import { listQuery } from '../../web/http/list-query.ts';

// Elysia's UnionEnum would fill a missing value in with the first choice.
const CODES = [
  t.Literal('APAC'),
  t.Literal('EEUR'),
  t.Literal('ENAM'),
  t.Literal('OC'),
  t.Literal('WEUR'),
  t.Literal('WNAM'),
] as const;
const region = t.Union([...CODES, t.Null()], {
  error: 'region must be one of APAC, EEUR, ENAM, OC, WEUR, WNAM, or null.',
});

export const RegionsAnswer = t.Object({ apart: t.Array(t.Union([...CODES])) });

export const CreateBucketBody = t.Object({
  name: t.String({
    minLength: 1,
    maxLength: BUCKET_NAME_MAX,
    error: `The name must have 1 to ${BUCKET_NAME_MAX} characters.`,
  }),
  region: t.Optional(region),
});

export const ChangeBucketBody = t.Object({ name: t.String(), webhook: t.String() });
const transforms = t.Union([t.Literal('off'), t.Literal('open')], {
  error: 'policy must be off or open.',
});
export const TransformsBody = t.Object({ policy: transforms });
export const KeyAnswer = t.Object({ api_key: t.String() });
export const SecretAnswer = t.Object({ secret: t.String() });
export const BucketContentsAnswer = t.Object({
  empty: t.Boolean(),
  files: t.Integer(),
  bytes: t.Integer(),
});
export const DeleteBucketBody = t.Object({
  email_token: t.Integer({
    minimum: 100000,
    maximum: 999999,
    error: 'The code is a number of 6 digits.',
  }),
});

export const BucketListQuery = t.Object({
  ...listQuery,
  name: t.Optional(
    t.String({
      maxLength: BUCKET_NAME_MAX,
      // PostgreSQL takes no text with a NUL in it.
      pattern: '^[^\\u0000]*$',
      error: `name must have at most ${BUCKET_NAME_MAX} characters, none of them a NUL.`,
    }),
  ),
});

export const BucketAnswer = t.Object({
  id: t.String(),
  name: t.String(),
  webhook: t.String(),
  webhook_disabled_at: t.Nullable(t.String()),
  region,
  status: t.Union([
    t.Literal('running'),
    t.Literal('suspended'),
    t.Literal('banned'),
    t.Literal('deleting'),
  ]),
  total_uploads: t.Integer(),
  usage: t.Integer(),
  bandwidth: t.Integer(),
  transforms,
  date: t.String(),
});

export const BucketDetailAnswer = t.Composite([BucketAnswer, t.Object({ api_key: t.String() })]);

export const BucketPageAnswer = t.Object({
  data: t.Array(BucketAnswer),
  nextId: t.Nullable(t.String()),
});

const { cursor, limit } = listQuery;
export const DeliveryListQuery = t.Object({ cursor, limit });

export const DeliveryAnswer = t.Object({
  id: t.String(),
  type: t.Union([
    t.Literal('file.success'),
    t.Literal('file.error'),
    t.Literal('file.deleted'),
    t.Literal('webhook.test'),
  ]),
  state: t.Union([t.Literal('waiting'), t.Literal('delivered'), t.Literal('failed')]),
  attempts: t.Integer(),
  status: t.Nullable(t.Integer()),
  answer: t.Nullable(t.String()),
  date: t.String(),
  next: t.Nullable(t.String()),
});

export const DeliveryPageAnswer = t.Object({
  data: t.Array(DeliveryAnswer),
  nextId: t.Nullable(t.String()),
});
