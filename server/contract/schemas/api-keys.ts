import { t } from 'elysia';
import { BUCKET_NAME_MAX } from '../limits.ts';
import { described, named, nullableText, oneOf } from './fields.ts';

const KEY_SCOPES = ['read', 'write', 'read-write'] as const;
/** The last second of the year 9999. */
const LAST_SECOND = 253_402_300_799;

const scope = oneOf(KEY_SCOPES, { error: 'The scope must be read, write or read-write.' });

/** A key that a bucket has beside its primary one. */
export const CreateApiKeyBody = named(
  'CreateApiKeyRequest',
  t.Object({
    name: t.String({
      minLength: 1,
      maxLength: BUCKET_NAME_MAX,
      error: `The name must have 1 to ${BUCKET_NAME_MAX} characters.`,
    }),
    scope,
    expires: t.Optional(
      t.Integer({
        minimum: 0,
        maximum: LAST_SECOND,
        format: 'int64',
        description: 'The expiry in epoch seconds; 0 or left out for none.',
        error: 'The expiry must be whole epoch seconds, or 0 for none.',
      }),
    ),
  }),
);

export const ApiKeyInfoResponse = named(
  'ApiKeyInfo',
  t.Object({
    id: t.String(),
    name: t.String(),
    scope: described('What the key may do with the files of the bucket.', scope),
    is_primary: described(
      'Whether it is the key that `GET /buckets/api-key/{bucketID}` returns. It can be regenerated, but not deleted.',
      t.Boolean(),
    ),
    expires: described('When the key expires, in ISO 8601 and UTC; null for never.', nullableText),
    last_used: described(
      'When a request last used the key, in ISO 8601 and UTC, to the minute; null for never.',
      nullableText,
    ),
    date: described('When the key was created, in ISO 8601 and UTC.', t.String()),
  }),
);

export const ApiKeyListResponse = named(
  'ApiKeyList',
  t.Object({ data: t.Array(ApiKeyInfoResponse) }),
);

export const CreatedApiKeyResponse = named(
  'CreatedApiKey',
  t.Composite([
    ApiKeyInfoResponse,
    t.Object({ api_key: described('The key. No other response has it.', t.String()) }),
  ]),
);
