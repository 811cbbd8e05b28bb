import { t } from 'elysia';
import { CHART_TYPES } from '../charts.ts';
import {
  MAX_CORS_ORIGINS,
  MAX_IP_RANGES,
  MAX_PATH_AGE,
  MAX_REFERRERS,
  MAX_REQUESTS_PER_MINUTE,
} from '../delivery-limits.ts';
import {
  MAX_EXPIRY_DAYS,
  MAX_EXPIRY_ID_LENGTH,
  MAX_EXPIRY_PREFIX_LENGTH,
  MAX_EXPIRY_RULES,
} from '../files/expiry-rules.ts';
import { MAX_ALLOWED_TYPES } from '../files/upload-rules.ts';
import { BUCKET_NAME_MAX, LIMIT_MAX_BYTES, MAX_DELETED_DAYS, MAX_VERSIONS } from '../limits.ts';
import { REGIONS } from '../regions.ts';
import { TRANSFORM_POLICIES } from '../transforms.ts';
import { code } from './accounts.ts';
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
  unit,
  wholeNumber,
} from './fields.ts';

const regionNames = namesOf(REGIONS);
/** A bucket's region; null means the server's default. */
export const region = oneOf([...regionNames, null], {
  error: 'region must be one of APAC, EEUR, ENAM, OC, WEUR, WNAM, or null.',
});

export const RegionsResponse = named(
  'Regions',
  t.Object({ regions_with_storage: t.Array(oneOf(regionNames)) }),
);

export const CreateBucketBody = named(
  'CreateBucketRequest',
  t.Object({
    name: t.String({
      minLength: 1,
      maxLength: BUCKET_NAME_MAX,
      error: `The name must have 1 to ${BUCKET_NAME_MAX} characters.`,
    }),
    region: t.Optional(region),
  }),
);

export const ChangeBucketBody = named(
  'UpdateBucketRequest',
  t.Object(
    {
      name: t.Optional(t.String({ description: 'Left out, it stays.' })),
      webhook: t.Optional(t.String({ description: 'Left out, it stays; empty disables it.' })),
    },
    // Without this, bodies that are no object would change nothing and be accepted.
    { minProperties: 1 },
  ),
);
/** Whether a bucket's images can be requested in other sizes and formats. */
const transforms = oneOf(TRANSFORM_POLICIES, { error: 'policy must be off or open.' });
export const TransformsBody = named('UpdateTransformsRequest', t.Object({ policy: transforms }));
const bandwidthLimit = (name: string, description: string) =>
  t.Optional(
    t.Union([t.Integer({ minimum: 1, maximum: LIMIT_MAX_BYTES }), t.Null()], {
      description,
      error: `${name} must be a whole number from 1 to ${LIMIT_MAX_BYTES}, or null for no limit.`,
    }),
  );
/** The bytes that a bucket may send; null for no limit. */
export const BandwidthLimitBody = named(
  'UpdateBandwidthLimitRequest',
  t.Object(
    {
      limit: bandwidthLimit('limit', 'The bytes per UTC month. Left out, it stays.'),
      daily_limit: bandwidthLimit('daily_limit', 'The bytes per UTC day. Left out, it stays.'),
    },
    { minProperties: 1, error: 'Send limit, daily_limit or both.' },
  ),
);
const requestLimit = (name: string) =>
  t.Union([t.Integer({ minimum: 1, maximum: MAX_REQUESTS_PER_MINUTE }), t.Null()], {
    error: `${name} must be a whole number from 1 to ${MAX_REQUESTS_PER_MINUTE}, or null for no limit.`,
  });
const ruleList = (name: string, what: string, maxItems: number, description: string) =>
  described(
    description,
    t.Array(t.String({ maxLength: 255 }), {
      maxItems,
      error: `${name} must be a list of up to ${maxItems} ${what}.`,
    }),
  );
const deliveryRules = {
  allowed_referrers: ruleList(
    'allowed_referrers',
    'hosts',
    MAX_REFERRERS,
    'The hosts whose pages may show the files, such as example.com or *.example.com; empty for all.',
  ),
  cors_origins: ruleList(
    'cors_origins',
    'origins',
    MAX_CORS_ORIGINS,
    'The origins whose scripts may read the files, such as https://example.com; empty for all.',
  ),
  allowed_ips: ruleList(
    'allowed_ips',
    'IP ranges',
    MAX_IP_RANGES,
    'The IP addresses and ranges (CIDR) that may open the files; empty for all.',
  ),
  denied_ips: ruleList(
    'denied_ips',
    'IP ranges',
    MAX_IP_RANGES,
    'The IP addresses and ranges that may not, even if they are part of an allowed range.',
  ),
  requests_per_client: described(
    'How many requests per minute a client may send; null for no limit.',
    requestLimit('requests_per_client'),
  ),
  requests_per_file: described(
    'How many requests per minute each file gets; null for no limit.',
    requestLimit('requests_per_file'),
  ),
  path_max_age: described(
    'For how many seconds caches may keep a public file at its address by path.',
    t.Integer({
      minimum: 0,
      maximum: MAX_PATH_AGE,
      error: `path_max_age must be a whole number of seconds from 0 to ${MAX_PATH_AGE}.`,
    }),
  ),
  static_site: described(
    'Whether the bucket is a static site, if files are delivered from a host of their own: folders show their index.html, missing paths show 404.html, and HTML is shown instead of downloaded.',
    t.Boolean({ error: 'static_site must be true or false.' }),
  ),
};
/** Who may open a bucket's files, how often, and how long caches keep them by path. */
export const DeliveryRulesBody = named(
  'UpdateDeliveryRulesRequest',
  t.Partial(t.Object(deliveryRules), {
    minProperties: 1,
    error: 'Send the rules to change. A rule that is left out stays.',
  }),
);
const keptCount = (name: string, maximum: number, description: string) =>
  described(
    description,
    t.Integer({
      minimum: 0,
      maximum,
      error: `${name} must be a whole number from 0 to ${maximum}.`,
    }),
  );
const retention = {
  keep_deleted_days: keptCount(
    'keep_deleted_days',
    MAX_DELETED_DAYS,
    'For how many days a deleted file can be restored; with 0 it is deleted for good.',
  ),
  keep_versions: keptCount(
    'keep_versions',
    MAX_VERSIONS,
    'How many earlier versions of a file are kept when it is replaced.',
  ),
  keep_originals: described(
    'Whether the uploaded bytes of images and videos stay beside what is delivered. They count towards storage.',
    t.Boolean({ error: 'keep_originals must be true or false.' }),
  ),
  expiry_rules: described(
    'The rules by which files are deleted some days after their upload. Of several rules for a path, the one with the fewest days holds.',
    t.Array(
      t.Object({
        prefix: described(
          'How the paths of the files begin, such as logs/2026/; empty for all files.',
          t.String({ maxLength: MAX_EXPIRY_PREFIX_LENGTH }),
        ),
        days: t.Integer({ minimum: 1, maximum: MAX_EXPIRY_DAYS }),
        id: t.Optional(
          described(
            'A name of the rule, by which S3 clients know it again.',
            t.String({ minLength: 1, maxLength: MAX_EXPIRY_ID_LENGTH }),
          ),
        ),
      }),
      {
        maxItems: MAX_EXPIRY_RULES,
        error: `expiry_rules must be a list of up to ${MAX_EXPIRY_RULES} rules, each with a prefix of up to ${MAX_EXPIRY_PREFIX_LENGTH} characters and a whole number of days from 1 to ${MAX_EXPIRY_DAYS}.`,
      },
    ),
  ),
};
/** What a bucket keeps of deleted, replaced and processed files, and after how many days files expire. */
export const RetentionBody = named(
  'UpdateRetentionRequest',
  t.Partial(t.Object(retention), {
    minProperties: 1,
    error:
      'Send keep_deleted_days, keep_versions, keep_originals, expiry_rules or several of them.',
  }),
);
const byteLimit = (name: string, description: string) =>
  described(
    description,
    t.Union([t.Integer({ minimum: 1, maximum: LIMIT_MAX_BYTES, format: 'int64' }), t.Null()], {
      error: `${name} must be a whole number from 1 to ${LIMIT_MAX_BYTES}, or null for no limit.`,
    }),
  );
const uploadRules = {
  allowed_types: ruleList(
    'allowed_types',
    'content types',
    MAX_ALLOWED_TYPES,
    'The content types that are accepted, such as application/pdf or image/*; empty for all.',
  ),
  max_file_bytes: byteLimit(
    'max_file_bytes',
    "The bytes of the largest file that is accepted; null for no limit but the server's.",
  ),
  storage_limit: byteLimit(
    'storage_limit',
    "The bytes that the bucket may store; null for no limit but the account's.",
  ),
};
/** Which files a bucket accepts. */
export const UploadRulesBody = named(
  'UpdateUploadRulesRequest',
  t.Partial(t.Object(uploadRules), {
    minProperties: 1,
    error: 'Send the rules to change. A rule that is left out stays.',
  }),
);
const s3Settings = {
  s3_name: described(
    'The name by which S3 clients know the bucket, unique in the account: 3 to 63 lower-case letters, digits, hyphens and dots. Null where they know its id only.',
    t.Nullable(t.String({ maxLength: 63 }), {
      error: 's3_name must be a text of up to 63 characters, or null.',
    }),
  ),
  process_s3_uploads: described(
    'Whether images and videos that S3 clients put are processed like other uploads. What was put stays as it is beside the results, and both count towards storage.',
    t.Boolean({ error: 'process_s3_uploads must be true or false.' }),
  ),
  list_public: described(
    'Whether anyone can list the bucket with an S3 client, without a key. Files are as public as they are.',
    t.Boolean({ error: 'list_public must be true or false.' }),
  ),
  block_public_access: described(
    'Whether public files are private nevertheless, and the list of the bucket too: opening a file needs a token or a key. No S3 client can make an object public meanwhile.',
    t.Boolean({ error: 'block_public_access must be true or false.' }),
  ),
};
/** How S3 clients know a bucket, and what becomes of what they put. */
export const S3SettingsBody = named(
  'UpdateS3SettingsRequest',
  t.Partial(t.Object(s3Settings), {
    minProperties: 1,
    error: 'Send the settings to change. A setting that is left out stays.',
  }),
);
export const KeyResponse = named('ApiKey', t.Object({ api_key: t.String() }));
export const BucketContentsResponse = named(
  'BucketContents',
  t.Object({
    empty: t.Boolean(),
    files: wholeNumber(),
    bytes: byteCount(),
  }),
);
export const DeleteBucketBody = named('DeleteBucketRequest', t.Object({ email_token: code }));

export const BucketListQuery = t.Object({
  ...listQuery,
  name: searchText('name', BUCKET_NAME_MAX),
});

export const bucketStatus = oneOf(['running', 'suspended', 'banned', 'deleting']);

export const BucketResponse = named(
  'Bucket',
  t.Object({
    id: t.String(),
    name: t.String(),
    webhook: described('The URL that receives events; empty where there is none.', t.String()),
    webhook_disabled_at: described(
      'When the webhook was disabled because its endpoint answered 410 Gone; null while it is enabled.',
      nullableText,
    ),
    region: described('Where the files are stored; null means the default of the server.', region),
    status: described('A suspended or banned bucket takes no uploads.', bucketStatus),
    total_uploads: described('How many files the bucket has.', wholeNumber()),
    usage: described('The bytes of all files.', byteCount()),
    bandwidth: described('The bytes that were sent this UTC month.', byteCount()),
    bandwidth_limit: described(
      'The bytes that may be sent in a UTC month; null for no limit.',
      t.Nullable(byteCount()),
    ),
    bandwidth_daily_limit: described(
      'The bytes that may be sent in a UTC day; null for no limit.',
      t.Nullable(byteCount()),
    ),
    delivery_stopped_until: described(
      'Until when a bandwidth limit stops delivery, in ISO 8601 and UTC. It may be in the past.',
      t.Nullable(t.String()),
    ),
    ...deliveryRules,
    ...retention,
    ...uploadRules,
    ...s3Settings,
    transforms: described(
      'Whether images can be requested in other sizes and formats.',
      transforms,
    ),
    date: described('When the bucket was created, in ISO 8601 and UTC.', t.String()),
  }),
);

/** A bucket as its owner's session sees it. This is the only response that has the API key. */
export const BucketDetailResponse = named(
  'BucketDetail',
  t.Composite([
    BucketResponse,
    // Null where the session has to confirm its password first.
    t.Object({ api_key: t.Nullable(t.String()) }),
  ]),
);

export const BucketPageResponse = named('BucketPage', pageOf(BucketResponse));

/** What may be transformed, and how many transforms of a bucket's images are stored, with their bytes. */
export const TransformsResponse = named(
  'BucketTransforms',
  t.Object({
    policy: oneOf(TRANSFORM_POLICIES),
    images: wholeNumber(),
    bytes: byteCount(),
  }),
);

export const MintParams = t.Object({
  bucketID: t.String(),
  expires: t.Integer({
    minimum: 0,
    error: 'The expiry must be whole epoch seconds, or 0 for none.',
  }),
  scope: oneOf(['read', 'write'], { error: 'The scope must be read or write.' }),
});
export const MintBody = t.Optional(
  named(
    'CreateTokenRequest',
    t.Object({
      name: t.Optional(
        described(
          'Lists the token under this name, so that it can be revoked alone. Without one, it is revoked with its API key.',
          t.String({ minLength: 1, maxLength: BUCKET_NAME_MAX }),
        ),
      ),
      file_id: t.Optional(described('Limits the token to this file.', t.String())),
      prefix: t.Optional(
        described(
          'Limits the token to the files in this folder and the folders in it, such as photos/2026/.',
          t.String(),
        ),
      ),
    }),
  ),
);
export const TokenResponse = named(
  'Token',
  t.Object({
    jwt: t.String(),
    id: t.Optional(described('The id of a token with a name.', t.String())),
  }),
);

/** The query of a bucket's chart. An empty parameter counts as unset. */
export const ChartQuery = t.Object({
  from: day('from'),
  to: day('to'),
  chartType: t.Optional(
    oneOf([...namesOf(CHART_TYPES), ''], {
      error: 'chartType must be disk-all, disk-active, bandwidth, requests or hit-ratio.',
    }),
  ),
  unit,
});

/** One value for each UTC day, written yyyy-MM-dd, in the unit of the query. */
export const DailyValues = t.Array(t.Object({ date: t.String(), data: t.Number() }));

export const ChartResponse = named(
  'Chart',
  t.Object({
    usage: t.Number(),
    stats: DailyValues,
    previous: described(
      'The period before: as many days just before the range, or the same days of the month before where the range begins with a month and ends in it.',
      t.Object({ usage: t.Number(), stats: DailyValues }),
    ),
  }),
);

/** The query of a bucket's top files. An empty parameter counts as unset. */
export const TopFilesQuery = t.Object({ from: day('from'), to: day('to') });

export const TopFilesResponse = named(
  'TopFiles',
  t.Object({
    files: described(
      'At most ten files, the one with the most requests first. Deleted and replaced files are left out.',
      t.Array(
        t.Object({
          id: t.String(),
          name: t.String(),
          requests: wholeNumber({ format: 'int64' }),
          bytes: described('The bytes that were sent.', byteCount()),
          is_estimate: described(
            'Whether there may have been more requests and bytes, because more files were requested than are counted.',
            t.Boolean(),
          ),
        }),
      ),
    ),
  }),
);

export const StorageResponse = named(
  'StorageUsage',
  t.Object({
    stored: described(
      'The bytes of all files of the account, and those that its unfinished uploads have reserved.',
      byteCount(),
    ),
    unfinished: byteCount(),
    limit: described(
      'The most that both together may have; null where the account has no limit.',
      t.Nullable(byteCount()),
    ),
  }),
);
