import { t } from 'elysia';
import { BUCKET_NAME_MAX, S3_DIAGNOSIS_MAX_LENGTH, S3_KEY_MAX_BUCKETS } from '../limits.ts';
import { described, named, nullableText, oneOf } from './fields.ts';

const access = oneOf(['read', 'write', 'both'], { error: 'access must be read, write or both.' });

/** An access key of the account for the S3 API. */
export const CreateS3KeyBody = named(
  'CreateS3KeyRequest',
  t.Object({
    name: t.Optional(
      t.String({
        minLength: 1,
        maxLength: BUCKET_NAME_MAX,
        error: `The name must have 1 to ${BUCKET_NAME_MAX} characters.`,
      }),
    ),
    access,
    buckets: t.Optional(
      described(
        'The ids of the buckets that the key opens; null or left out for all of the account.',
        t.Nullable(
          t.Array(t.String({ maxLength: 26 }), {
            minItems: 1,
            maxItems: S3_KEY_MAX_BUCKETS,
            error: `Name 1 to ${S3_KEY_MAX_BUCKETS} buckets, or null for all.`,
          }),
        ),
      ),
    ),
    expires_at: t.Optional(
      described(
        'When the key expires, in ISO 8601, down to the second; null for never.',
        t.Nullable(t.String({ maxLength: 40, example: '2999-12-31T12:00:00Z' })),
      ),
    ),
  }),
);

export const S3KeyResponse = named(
  'S3Key',
  t.Object({
    id: t.String(),
    name: t.String(),
    access_key_id: described('What S3 clients call the access key ID.', t.String()),
    access: described('What the key may do with the files of its buckets.', access),
    buckets: described(
      'The ids of the buckets that the key opens; null for all of the account.',
      t.Nullable(t.Array(t.String())),
    ),
    bucket_names: described(
      'The names of these buckets in the same order; null for one that was deleted, and in place of the list where the key opens all.',
      t.Nullable(t.Array(nullableText)),
    ),
    expires_at: described(
      'When the key expires, in ISO 8601 and UTC; null for never.',
      nullableText,
    ),
    last_used: described(
      'When a request last used the key, in ISO 8601 and UTC, to the minute; null for never.',
      nullableText,
    ),
    date: described('When the key was created, in ISO 8601 and UTC.', t.String()),
  }),
);

export const S3KeyListResponse = named('S3KeyList', t.Object({ data: t.Array(S3KeyResponse) }));

export const CreatedS3KeyResponse = named(
  'CreatedS3Key',
  t.Composite([
    S3KeyResponse,
    t.Object({
      secret_access_key: described('The secret. No other response has it.', t.String()),
    }),
  ]),
);

/** A request of an S3 client as somebody has pasted it. */
export const S3DiagnosisBody = named(
  'S3DiagnosisRequest',
  t.Object({
    request: described(
      'The request as the client has sent it: a curl command, the lines of HTTP, or a presigned URL. Nothing is done that it asks for.',
      t.String({
        minLength: 1,
        maxLength: S3_DIAGNOSIS_MAX_LENGTH,
        error: `request must be a text of 1 to ${S3_DIAGNOSIS_MAX_LENGTH} characters.`,
      }),
    ),
  }),
);

export const S3DiagnosisResponse = named(
  'S3Diagnosis',
  t.Object({
    findings: t.Array(
      t.Object({
        ok: described('Whether this part of the request is right.', t.Boolean()),
        text: described('What was found, as a sentence for a person.', t.String()),
      }),
    ),
  }),
);
