import { t } from 'elysia';
import { GRANT_MAX } from '../../contract/admin.ts';
import { BUCKET_NAME_MAX, EMAIL_MAX } from '../../contract/limits.ts';
import { day, listQuery, unit } from '../../web/http/list-query.ts';

/** PostgreSQL takes no text with a NUL in it. */
const words = (name: string, maxLength: number) =>
  t.Optional(
    t.String({
      maxLength,
      pattern: '^[^\\u0000]*$',
      error: `${name} must have at most ${maxLength} characters, none of them a NUL.`,
    }),
  );

const truth = (name: string) =>
  t.Optional(
    t.Union([t.Literal('true'), t.Literal('false'), t.Literal('')], {
      error: `${name} must be true or false.`,
    }),
  );

const sections = [
  t.Literal('buckets'),
  t.Literal('files'),
  t.Literal('users'),
  t.Literal('payments'),
  t.Literal('system'),
] as const;

const region = t.Union([
  t.Literal('APAC'),
  t.Literal('EEUR'),
  t.Literal('ENAM'),
  t.Literal('OC'),
  t.Literal('WEUR'),
  t.Literal('WNAM'),
  t.Null(),
]);

export const OverviewQuery = t.Object({
  from: day('from'),
  to: day('to'),
  chartType: t.Optional(
    t.Union([t.Literal('disk'), t.Literal('bandwidth'), t.Literal('revenue'), t.Literal('')], {
      error: 'chartType must be disk, bandwidth or revenue.',
    }),
  ),
  unit,
});

export const OverviewAnswer = t.Object({
  stats: t.Array(t.Object({ date: t.String(), data: t.Number() })),
  usage: t.Integer(),
  bandwidth: t.Integer(),
  total_uploads: t.Integer(),
  revenue: t.Number(),
});

export const BucketsQuery = t.Object({ ...listQuery, name: words('name', BUCKET_NAME_MAX) });
export const UsersQuery = t.Object({
  ...listQuery,
  email: words('email', EMAIL_MAX),
  active: truth('active'),
  verified: truth('verified'),
});

const logFilters = {
  section: t.Optional(
    t.Union([...sections, t.Literal('')], {
      error: 'section must be buckets, files, users, payments or system.',
    }),
  ),
  from: day('from'),
  to: day('to'),
  text: words('text', BUCKET_NAME_MAX),
  subject: t.Optional(t.String({ pattern: '^([0-9a-z]{26})?$', error: 'subject must be an id.' })),
};
export const LogsQuery = t.Object({ ...listQuery, ...logFilters });
export const ExportQuery = t.Object({
  ...logFilters,
  format: t.Union([t.Literal('csv'), t.Literal('jsonl')], {
    error: 'format must be csv or jsonl.',
  }),
});

const page = <Row extends Parameters<typeof t.Array>[0]>(row: Row) =>
  t.Object({ data: t.Array(row), nextId: t.Nullable(t.String()) });

const bucket = {
  id: t.String(),
  region,
  name: t.String(),
  status: t.Union([
    t.Literal('running'),
    t.Literal('suspended'),
    t.Literal('banned'),
    t.Literal('deleting'),
  ]),
  usage: t.Integer(),
  bandwidth: t.Integer(),
  total_uploads: t.Integer(),
  date: t.String(),
};
const userRef = t.Object({ id: t.String(), email: t.Nullable(t.String()) });
export const BucketPageAnswer = page(t.Object(bucket));
export const BucketDetailAnswer = t.Object({
  ...bucket,
  owner: userRef,
  banned: t.Nullable(t.String()),
});

const user = {
  id: t.String(),
  active: t.Boolean(),
  email: t.String(),
  verified: t.Boolean(),
  status: t.Union([
    t.Literal('active'),
    t.Literal('banned'),
    t.Literal('deleting'),
    t.Literal('pending'),
  ]),
  date: t.String(),
};
export const UserPageAnswer = page(t.Object(user));
export const UserDetailAnswer = t.Object({
  ...user,
  isAdmin: t.Boolean(),
  buckets: t.Integer(),
  files: t.Integer(),
  bytes: t.Integer(),
  sessions: t.Integer(),
  last_seen: t.Nullable(t.String()),
  credit: t.Number(),
});

export const LogPageAnswer = page(
  t.Object({
    id: t.String(),
    section: t.Union([...sections]),
    action: t.String(),
    message: t.String(),
    actor: t.Object({
      kind: t.Union([t.Literal('user'), t.Literal('key'), t.Literal('system')]),
      user: t.Nullable(userRef),
    }),
    subject: t.Nullable(t.String()),
    subject_email: t.Nullable(t.String()),
    details: t.Record(t.String(), t.Union([t.String(), t.Number(), t.Boolean(), t.Null()])),
    date: t.String(),
  }),
);

export const JobsAnswer = t.Object({
  queued: t.Integer(),
  running: t.Integer(),
  failed: t.Integer(),
  jobs: t.Array(
    t.Object({
      id: t.String(),
      kind: t.String(),
      subject: t.String(),
      state: t.Union([t.Literal('running'), t.Literal('failed')]),
      progress: t.Integer(),
      attempts: t.Integer(),
      error: t.Nullable(t.String()),
      retryable: t.Boolean(),
      date: t.String(),
    }),
  ),
  disk: t.Object({ free: t.Number(), total: t.Number() }),
});

export const OwedQuery = t.Object({ cursor: listQuery.cursor, limit: listQuery.limit });
export const OwedPageAnswer = page(
  t.Object({
    id: t.String(),
    user: userRef,
    method: t.Union([t.Literal('card'), t.Literal('crypto')]),
    note: t.Nullable(
      t.Union([
        t.Literal('refused'),
        t.Literal('short'),
        t.Literal('mismatch'),
        t.Literal('account-gone'),
      ]),
    ),
    owed: t.Number({ description: 'USD' }),
    reference: t.Nullable(t.String()),
    checkout: t.Nullable(t.String()),
    date: t.String(),
  }),
);

export const DeleteBucketBody = t.Object({ name: t.String() });
export const DeleteUserBody = t.Object({ email: t.String() });
export const GrantBody = t.Object({
  usd: t.Number({
    minimum: -GRANT_MAX,
    maximum: GRANT_MAX,
    error: `usd must be an amount of at most ${GRANT_MAX} dollars.`,
  }),
  id: t.String({ format: 'uuid', error: 'id must be a UUID, a new one for each grant.' }),
});
export const CreditAnswer = t.Object({ credit: t.Number() });
