import { t } from 'elysia';
import { ADMIN_BUCKET_SORTS, ADMIN_USER_SORTS } from '../admin/list-orders.ts';
import { AUDIT_SECTIONS } from '../audit.ts';
import { ADMIN_CHART_TYPES } from '../charts.ts';
import { SORT_ORDERS } from '../files/file-order.ts';
import { BUCKET_NAME_MAX, EMAIL_MAX, LIMIT_MAX_BYTES } from '../limits.ts';
import { GRANT_MAX, LEDGER_KINDS, REFUND_REASON_MAX, TOP_UP_MAX } from '../money.ts';
import { REGIONS } from '../regions.ts';
import { PaymentResponse, paymentMethod, paymentNote } from './billing.ts';
import { bucketStatus, DailyValues, StorageResponse } from './buckets.ts';
import {
  byteCount,
  day,
  described,
  listQuery,
  named,
  namesOf,
  nullableText,
  oneOf,
  pageOf,
  searchText,
  timeZone,
  unit,
  wholeNumber,
} from './fields.ts';

const booleanText = (name: string) =>
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

export const OverviewResponse = named(
  'AdminOverview',
  t.Object({
    stats: described('Bytes are in the unit of the query; revenue is in USD.', DailyValues),
    usage: described('The bytes that were stored at the end of the range.', byteCount()),
    bandwidth: described('The bytes that were sent in the range.', byteCount()),
    total_uploads: described('Files in all buckets now.', wholeNumber()),
    revenue: described('USD paid in the range, less refunds.', t.Number()),
    credit: described(
      'What all accounts have left now, the part of it that was paid, and an estimate of what was used today and is not charged yet, in USD.',
      t.Object({ outstanding: t.Number(), paid: t.Number(), unbilled: t.Number() }),
    ),
  }),
);

/** The query parameters of a list that can be sorted, whose cursors are places in the order. */
const sortedQuery = <const Sort extends string>(sorts: readonly Sort[]) => ({
  ...listQuery,
  cursor: t.Optional(
    t.String({
      pattern: '^(0|(-?\\d{1,16}\\.){0,2}[0-9a-z]{26})?$',
      error: 'cursor must be 0 or a nextId from an earlier response.',
    }),
  ),
  sort: t.Optional(
    described(
      'What the list is sorted by; by default the newest come first. What is sent and charged is that of this UTC month.',
      oneOf([...sorts, ''], { error: `sort must be ${sorts.join(', ')}, or empty.` }),
    ),
  ),
  order: t.Optional(
    oneOf([...SORT_ORDERS, ''], { error: `order must be ${SORT_ORDERS.join(' or ')}.` }),
  ),
});

const idText = (name: string) =>
  t.Optional(t.String({ pattern: '^([0-9a-z]{26})?$', error: `${name} must be an id.` }));

export const BucketsQuery = t.Object({
  ...sortedQuery(ADMIN_BUCKET_SORTS),
  name: searchText('name', BUCKET_NAME_MAX),
  owner: described('The id of the account whose buckets are listed.', idText('owner')),
});
export const UsersQuery = t.Object({
  ...sortedQuery(ADMIN_USER_SORTS),
  email: searchText('email', EMAIL_MAX),
  active: booleanText('active'),
  verified: booleanText('verified'),
});

const logFilters = {
  section: t.Optional(
    oneOf([...sections, ''], {
      error: 'section must be buckets, files, users, payments or system.',
    }),
  ),
  from: day('from'),
  to: day('to'),
  tz: timeZone,
  text: searchText('text', BUCKET_NAME_MAX),
  subject: idText('subject'),
};
export const LogsQuery = t.Object({ ...listQuery, ...logFilters });
export const ExportQuery = t.Object({
  ...logFilters,
  format: oneOf(['csv', 'jsonl'], { error: 'format must be csv or jsonl.' }),
});

/** A user in another row. The address is null once the account is deleted. */
const UserRef = named('UserReference', t.Object({ id: t.String(), email: nullableText }));
const monthSpend = described(
  'What was charged this UTC month in USD. A day is charged when it is over.',
  t.Number(),
);

const AdminBucket = named(
  'AdminBucket',
  t.Object({
    id: t.String(),
    region: oneOf([...namesOf(REGIONS), null]),
    name: t.String(),
    status: bucketStatus,
    usage: byteCount(),
    bandwidth: described('The bytes that were sent this UTC month.', byteCount()),
    spend: monthSpend,
    total_uploads: wholeNumber(),
    owner: UserRef,
    date: t.String(),
  }),
);
export const AdminBucketPageResponse = named('AdminBucketPage', pageOf(AdminBucket));
export const AdminBucketDetailResponse = named(
  'AdminBucketDetail',
  t.Object({
    ...AdminBucket.properties,
    banned: described(
      'When the bucket itself was banned; null where only its owner is banned.',
      nullableText,
    ),
  }),
);

const userFields = {
  id: t.String(),
  active: described('Whether the user may log in.', t.Boolean()),
  email: t.String(),
  verified: described(
    'Whether the user has confirmed the address with the mailed code.',
    t.Boolean(),
  ),
  // A user is pending until the code of the signup is entered.
  status: oneOf(['active', 'banned', 'deleting', 'pending']),
  date: t.String(),
};
const AdminUser = named(
  'AdminUser',
  t.Object({
    ...userFields,
    buckets: wholeNumber(),
    storage: described('The bytes that all buckets of the account store.', byteCount()),
    bandwidth: described('The bytes that they have sent this UTC month.', byteCount()),
    spend: monthSpend,
    balance: described('What the account has left after the charges so far, in USD.', t.Number()),
  }),
);
export const AdminUserPageResponse = named('AdminUserPage', pageOf(AdminUser));
export const AdminUserDetailResponse = named(
  'AdminUserDetail',
  t.Object({
    ...userFields,
    is_admin: t.Boolean(),
    buckets: wholeNumber(),
    files: wholeNumber(),
    bytes: byteCount(),
    sessions: wholeNumber(),
    last_seen: nullableText,
    credit: described('The balance in USD.', t.Number()),
    max_bytes: described(
      'The storage limit that the admin has set for this account; null where it has the default.',
      t.Nullable(byteCount()),
    ),
    storage: StorageResponse,
  }),
);

const LogEntry = named(
  'AuditLogEntry',
  t.Object({
    id: t.String(),
    section: oneOf(sections),
    action: t.String(),
    message: t.String(),
    actor: t.Object({
      kind: oneOf(['user', 'key', 'system']),
      user: t.Nullable(UserRef),
      key_id: described(
        'The id of the API key that was used, or that created the token; the primary key has the id of its bucket. Null for others, and in entries of earlier versions.',
        nullableText,
      ),
    }),
    subject: described(
      'The id of the bucket, file, account or payment that the entry is about.',
      nullableText,
    ),
    subject_email: described(
      'The address that the account which the entry is about, or which owns the bucket or file, had at that time; null once it is deleted.',
      nullableText,
    ),
    details: t.Record(t.String(), t.Union([t.String(), t.Number(), t.Boolean(), t.Null()])),
    date: t.String(),
  }),
);
export const LogPageResponse = named('AuditLogPage', pageOf(LogEntry));

const AdminJob = named(
  'Job',
  t.Object({
    id: t.String(),
    kind: t.String(),
    subject: t.String(),
    state: oneOf(['running', 'failed']),
    progress: described('The progress in per cent.', wholeNumber()),
    attempts: wholeNumber(),
    error: nullableText,
    retryable: described(
      'Whether the admin can retry the job, which must have failed.',
      t.Boolean(),
    ),
    date: t.String(),
  }),
);
/** A deletion of everything below a prefix of the storage. */
const FailingDeletion = named(
  'FailingDeletion',
  t.Object({
    prefix: t.String(),
    error: t.String(),
    attempts: described('How often it has failed in a row.', wholeNumber()),
    retry: described('When it is tried again.', t.String()),
  }),
);
export const JobsResponse = named(
  'Jobs',
  t.Object({
    queued: wholeNumber(),
    running: wholeNumber(),
    failed: wholeNumber(),
    jobs: described('The newest running jobs, and the newest failed jobs.', t.Array(AdminJob)),
    clock: described(
      'Why charges and deletions are paused: the clock may be wrong. Null if they are not.',
      nullableText,
    ),
    mail: described(
      'The error for which emails are not sent at the moment. Null if nothing is known to be wrong.',
      nullableText,
    ),
    webhooks: described(
      'Of each payment provider that is configured, when its last webhook arrived, and when the last payment was made if no webhook announced it.',
      t.Array(
        named(
          'PaymentWebhooks',
          t.Object({ method: paymentMethod, last: nullableText, unannounced: nullableText }),
        ),
      ),
    ),
    // The bytes of the disk that DATA_DIR is on. With less than `reserve` free, uploads
    // and processing stop.
    disk: t.Object({ free: byteCount(), total: byteCount(), reserve: byteCount() }),
    // Deletions of stored objects that have failed and are tried again, and some of them.
    deletions: t.Object({ failing: wholeNumber(), examples: t.Array(FailingDeletion) }),
  }),
);

const status = oneOf(['ok', 'failing']);
const protections = t.Record(t.String(), t.Boolean());
export const OperationsResponse = named(
  'Operations',
  t.Object({
    warnings: described(
      "What needs the operator's attention, the most urgent first.",
      t.Array(
        named(
          'OperationsWarning',
          t.Object({
            code: oneOf([
              ...(['database', 'storage', 'ffmpeg', 'mail', 'usage', 'clock', 'disk'] as const),
              ...(['confinement', 'failed-jobs', 'queue', 'deletions'] as const),
              ...(['payment-webhooks', 'backup'] as const),
            ]),
            problem: t.String(),
            action: described('What to do about it.', t.String()),
          }),
        ),
      ),
    ),
    checks: described(
      'What GET /health says of the process that answers.',
      t.Object({
        ...{ database: status, storage: status, ffmpeg: status, mail: status, usage: status },
      }),
    ),
    confinement: described(
      'Which protections confine the processes that decode images and videos; null until it is known.',
      t.Nullable(t.Object({ images: protections, videos: protections })),
    ),
    next_job: described(
      'When the job was queued that has been next in its line for longest; null where none waits.',
      nullableText,
    ),
    database: t.Object({
      engine: oneOf(['sqlite', 'postgres']),
      version: t.String(),
      bytes: described('The bytes that it occupies.', byteCount()),
    }),
    storage: oneOf(['disk', 's3']),
    backup: described(
      'When wharf backup was last run with success; null where that is not known.',
      nullableText,
    ),
    versions: t.Object({ wharf: t.String(), bun: t.String() }),
  }),
);

export const PlainListQuery = t.Object({ cursor: listQuery.cursor, limit: listQuery.limit });
/**
 * A payment that arrived and was not credited. It is listed until the provider reports the refund.
 */
const OwedPayment = named(
  'OwedPayment',
  t.Object({
    id: t.String(),
    // The user who paid.
    user: UserRef,
    method: paymentMethod,
    note: paymentNote,
    owed: t.Number({ description: 'USD' }),
    reference: described(
      "The provider's ids of the payment and of the checkout, by which the admin finds it at the provider.",
      nullableText,
    ),
    checkout: nullableText,
    date: t.String(),
  }),
);
export const OwedPageResponse = named('OwedPaymentPage', pageOf(OwedPayment));

const { checkout_url: _, ...payment } = PaymentResponse.properties;
const providerIds = {
  reference: OwedPayment.properties.reference,
  checkout: nullableText,
};
export const AdminPaymentResponse = named('AdminPayment', t.Object({ ...payment, ...providerIds }));
export const AdminPaymentPageResponse = named('AdminPaymentPage', pageOf(AdminPaymentResponse));
export const LedgerPageResponse = named(
  'AccountLedgerPage',
  pageOf(
    named(
      'AccountLedgerEntry',
      t.Object({
        number: described('Entries of an account are numbered from 1.', wholeNumber()),
        kind: oneOf([...LEDGER_KINDS]),
        amount: t.Number({ description: 'USD' }),
        balance: described('The balance after the entry in USD.', t.Number()),
        paid: described(
          'The part of that balance that was paid; null of entries from before it was kept.',
          t.Nullable(t.Number()),
        ),
        payment: described('The payment that the entry is about.', nullableText),
        date: t.String(),
      }),
    ),
  ),
);
export const RefundBody = named(
  'RefundPaymentRequest',
  t.Object({
    usd: t.Number({
      minimum: 0.01,
      maximum: TOP_UP_MAX,
      error: 'usd must be an amount above 0 with at most two decimals.',
    }),
    reason: t.String({
      minLength: 1,
      maxLength: REFUND_REASON_MAX,
      error: `reason must have 1 to ${REFUND_REASON_MAX} characters.`,
    }),
    by: described(
      "'provider' refunds at the payment provider; 'other' records a refund that was made in another way.",
      oneOf(['provider', 'other'], { error: 'by must be provider or other.' }),
    ),
    id: t.String({ format: 'uuid', error: 'id must be a new UUID for each refund.' }),
  }),
);

export const AdminDeleteBucketBody = named(
  'AdminDeleteBucketRequest',
  t.Object({ name: t.String() }),
);
export const AdminDeleteUserBody = named('AdminDeleteUserRequest', t.Object({ email: t.String() }));
export const GrantBody = named(
  'GrantCreditRequest',
  t.Object({
    usd: t.Number({
      minimum: -GRANT_MAX,
      maximum: GRANT_MAX,
      error: `usd must be an amount of at most ${GRANT_MAX} dollars.`,
    }),
    id: t.String({ format: 'uuid', error: 'id must be a new UUID for each grant.' }),
  }),
);
export const StorageLimitBody = named(
  'UpdateStorageLimitRequest',
  t.Object({
    max_bytes: t.Nullable(
      // Elysia would accept the text '5' as an integer.
      t.Number({
        multipleOf: 1,
        format: 'int64',
        minimum: 0,
        maximum: LIMIT_MAX_BYTES,
        error: `max_bytes must be a whole number from 0 to ${LIMIT_MAX_BYTES}, or null for the default.`,
      }),
    ),
  }),
);
export const CreditResponse = named('Credit', t.Object({ credit: t.Number() }));
