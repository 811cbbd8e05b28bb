import { t } from 'elysia';
import { ADMIN_CHART_TYPES, GRANT_MAX } from '../admin.ts';
import { AUDIT_SECTIONS } from '../audit.ts';
import { BUCKET_NAME_MAX, EMAIL_MAX } from '../limits.ts';
import { REGIONS } from '../regions.ts';
import { bucketStatus } from './buckets.ts';
import { day, listQuery, nullableText, pageOf, searchText, unit } from './list-query.ts';
import { namesOf, oneOf } from './one-of.ts';
import { paymentMethod, paymentNote } from './payments.ts';
import { DailyValues } from './usage.ts';

const truth = (name: string) =>
  t.Optional(oneOf(['true', 'false', ''], { error: `${name} must be true or false.` }));

const sections = namesOf(AUDIT_SECTIONS);

export const OverviewQuery = t.Object({
  from: day('from'),
  to: day('to'),
  chartType: t.Optional(
    oneOf([...namesOf(ADMIN_CHART_TYPES), ''], {
      error: 'chartType must be disk, bandwidth or revenue.',
    }),
  ),
  unit,
});

export const OverviewAnswer = t.Object({
  // In the unit asked for; revenue in USD.
  stats: DailyValues,
  // Bytes stored at the end of the range.
  usage: t.Integer(),
  // Bytes sent in it.
  bandwidth: t.Integer(),
  // Files in all buckets now.
  total_uploads: t.Integer(),
  // USD paid in it, less what was given back.
  revenue: t.Number(),
});

export const BucketsQuery = t.Object({ ...listQuery, name: searchText('name', BUCKET_NAME_MAX) });
export const UsersQuery = t.Object({
  ...listQuery,
  email: searchText('email', EMAIL_MAX),
  active: truth('active'),
  verified: truth('verified'),
});

const logFilters = {
  section: t.Optional(
    oneOf([...sections, ''], {
      error: 'section must be buckets, files, users, payments or system.',
    }),
  ),
  from: day('from'),
  to: day('to'),
  text: searchText('text', BUCKET_NAME_MAX),
  subject: t.Optional(t.String({ pattern: '^([0-9a-z]{26})?$', error: 'subject must be an id.' })),
};
export const LogsQuery = t.Object({ ...listQuery, ...logFilters });
export const ExportQuery = t.Object({
  ...logFilters,
  format: oneOf(['csv', 'jsonl'], { error: 'format must be csv or jsonl.' }),
});

const AdminBucket = t.Object({
  id: t.String(),
  region: oneOf([...namesOf(REGIONS), null]),
  name: t.String(),
  status: bucketStatus,
  usage: t.Integer(),
  // Bytes sent this month, in UTC.
  bandwidth: t.Integer(),
  total_uploads: t.Integer(),
  date: t.String(),
});
/** A user as other rows name them; the address is null once the account is gone. */
const UserRef = t.Object({ id: t.String(), email: nullableText });
export const AdminBucketPageAnswer = pageOf(AdminBucket);
export const AdminBucketDetailAnswer = t.Object({
  ...AdminBucket.properties,
  owner: UserRef,
  // When it was banned, by itself; null also where its owner is.
  banned: nullableText,
});

const AdminUser = t.Object({
  id: t.String(),
  // Whether it may log in.
  active: t.Boolean(),
  email: t.String(),
  // Whether the address has answered the code.
  verified: t.Boolean(),
  // A pending one has not answered the code of its signup.
  status: oneOf(['active', 'banned', 'deleting', 'pending']),
  date: t.String(),
});
export const AdminUserPageAnswer = pageOf(AdminUser);
export const AdminUserDetailAnswer = t.Object({
  ...AdminUser.properties,
  isAdmin: t.Boolean(),
  buckets: t.Integer(),
  files: t.Integer(),
  bytes: t.Integer(),
  sessions: t.Integer(),
  last_seen: nullableText,
  // USD.
  credit: t.Number(),
});

const LogEntry = t.Object({
  id: t.String(),
  section: oneOf(sections),
  action: t.String(),
  message: t.String(),
  actor: t.Object({ kind: oneOf(['user', 'key', 'system']), user: t.Nullable(UserRef) }),
  // The id of what it is about.
  subject: nullableText,
  // Where that is an account that is still there.
  subject_email: nullableText,
  details: t.Record(t.String(), t.Union([t.String(), t.Number(), t.Boolean(), t.Null()])),
  date: t.String(),
});
export const LogPageAnswer = pageOf(LogEntry);

const AdminJob = t.Object({
  id: t.String(),
  kind: t.String(),
  subject: t.String(),
  state: oneOf(['running', 'failed']),
  // Per cent.
  progress: t.Integer(),
  attempts: t.Integer(),
  error: nullableText,
  // Whether a failed one can be done again.
  retryable: t.Boolean(),
  date: t.String(),
});
export const JobsAnswer = t.Object({
  queued: t.Integer(),
  running: t.Integer(),
  failed: t.Integer(),
  // The newest running ones, and the newest failed ones.
  jobs: t.Array(AdminJob),
  // Bytes of the disk that DATA_DIR is on.
  disk: t.Object({ free: t.Number(), total: t.Number() }),
});

export const OwedQuery = t.Object({ cursor: listQuery.cursor, limit: listQuery.limit });
/** A payment that arrived and was not credited, until the provider says that it went back. */
const OwedPayment = t.Object({
  id: t.String(),
  // Who paid.
  user: UserRef,
  method: paymentMethod,
  note: paymentNote,
  owed: t.Number({ description: 'USD' }),
  // The provider's ids of the payment and of its page, by which it is found there.
  reference: nullableText,
  checkout: nullableText,
  date: t.String(),
});
export const OwedPageAnswer = pageOf(OwedPayment);

export const AdminDeleteBucketBody = t.Object({ name: t.String() });
export const AdminDeleteUserBody = t.Object({ email: t.String() });
export const GrantBody = t.Object({
  usd: t.Number({
    minimum: -GRANT_MAX,
    maximum: GRANT_MAX,
    error: `usd must be an amount of at most ${GRANT_MAX} dollars.`,
  }),
  id: t.String({ format: 'uuid', error: 'id must be a new UUID for each grant.' }),
});
export const CreditAnswer = t.Object({ credit: t.Number() });
