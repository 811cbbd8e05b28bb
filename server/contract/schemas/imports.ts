import { t } from 'elysia';
import { ERROR_CODES } from '../failure.ts';
import { IMPORT_URL_MAX } from '../limits.ts';
import { formatCount } from '../units.ts';
import { byteCount, described, named, nullableText, oneOf, wholeNumber } from './fields.ts';
import { ACCESSES } from './files.ts';

const yesOrNo = (name: string) =>
  t.Optional(oneOf(['yes', 'no'], { error: `${name} must be yes or no.` }));

export const UrlImportBody = named(
  'UrlImport',
  t.Object(
    {
      url: described(
        'Where the file is, as an http or https URL.',
        t.String({
          minLength: 1,
          maxLength: IMPORT_URL_MAX,
          error: `url must be an http or https URL of at most ${formatCount(IMPORT_URL_MAX)} characters.`,
        }),
      ),
      access: t.Optional(oneOf(ACCESSES, { error: 'access must be public or private.' })),
      folder: t.Optional(
        described('The folder of the file, such as photos/2026.', t.String({ maxLength: 1024 })),
      ),
      path: t.Optional(
        described(
          'The path of the file, such as photos/2026/harbour.jpg; not together with folder.',
          t.String({ maxLength: 1024 }),
        ),
      ),
      on_conflict: t.Optional(
        oneOf(['rename', 'replace', 'error'], {
          error: 'on_conflict must be rename, replace or error.',
        }),
      ),
      optimize: described(
        'no stores an image or a video byte for byte; yes where it is left out.',
        yesOrNo('optimize'),
      ),
      webp: described('Whether an image is delivered as WebP.', yesOrNo('webp')),
      resolution: t.Optional(
        described(
          "The sizes of a video, such as 1280x720,640x360; the video's own where it is left out.",
          t.String({ maxLength: 200 }),
        ),
      ),
      timeline_preview: described(
        'Whether the player of a video shows pictures along its bar.',
        yesOrNo('timeline_preview'),
      ),
    },
    { example: { url: 'https://example.com/harbour.jpg', folder: 'photos/2026' } },
  ),
);

const BUCKET = /^[\w.-]{1,255}$/.source;

/** What names a bucket of another S3 server, and where its objects go. */
const remoteFields = {
  endpoint: described(
    'The URL of the S3 server; empty for Amazon S3.',
    t.String({
      maxLength: 2048,
      error: 'endpoint must be an http or https URL, or empty for Amazon S3.',
    }),
  ),
  region: t.Optional(
    described(
      'us-east-1 where it is left out.',
      t.String({ pattern: '^[A-Za-z0-9-]{1,64}$', error: 'region must be like eu-central-1.' }),
    ),
  ),
  access_key_id: t.String({
    pattern: '^[!-~]{1,256}$',
    error: 'access_key_id must have 1 to 256 characters without spaces.',
    example: 'AKIAIOSFODNN7EXAMPLE',
  }),
  secret_access_key: t.String({
    pattern: '^[ -~]{1,256}$',
    error: 'secret_access_key must have 1 to 256 characters of ASCII.',
    example: 'wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY',
  }),
  bucket: t.String({
    pattern: BUCKET,
    error: 'bucket must be the name of a bucket of the S3 server.',
    example: 'photos',
  }),
  prefix: t.Optional(
    described(
      'The folder of the bucket, such as 2026/; all of it where it is left out.',
      t.String({ maxLength: 1024 }),
    ),
  ),
  folder: t.Optional(
    described(
      'The folder into which the objects go, such as archive/2026.',
      t.String({ maxLength: 1024 }),
    ),
  ),
  access: t.Optional(
    described(
      'Who can open the files; private where it is left out.',
      oneOf(ACCESSES, { error: 'access must be public or private.' }),
    ),
  ),
};

export const S3ImportBody = named('NewS3Import', t.Object(remoteFields));

export const BucketSourceBody = named('NewBucketSource', t.Object(remoteFields));

/** Where files of another S3 server come from, and where they go, as an answer says it. */
const remoteAnswer = {
  endpoint: t.String(),
  region: t.String(),
  access_key_id: t.String(),
  bucket: described('The bucket of the S3 server.', t.String()),
  prefix: t.String(),
  folder: described('The folder of the files, which ends in /; empty for the top.', t.String()),
  access: oneOf(ACCESSES),
};

export const S3ImportResponse = named(
  'S3Import',
  t.Object({
    id: t.String(),
    ...remoteAnswer,
    status: oneOf(['running', 'completed', 'stopped', 'failed']),
    copied: described('How many objects were copied so far.', wholeNumber()),
    skipped: described(
      'How many objects were there already with the same bytes, or are folders.',
      wholeNumber(),
    ),
    failed: described('How many objects could not be copied.', wholeNumber()),
    bytes: described('How many bytes were copied so far.', byteCount()),
    error: described(
      'Why it has failed, or why a running import waits and tries again; null where nothing is wrong.',
      nullableText,
    ),
    failures: described(
      'The first 100 objects that could not be copied, in the order of their keys, and why.',
      t.Array(
        t.Object({
          key: t.String(),
          error: t.Object({ code: oneOf(ERROR_CODES), message: t.String() }),
        }),
      ),
    ),
    date: described('When it was started, in ISO 8601 and UTC.', t.String()),
    ended: described('When it ended, in ISO 8601 and UTC; null while it runs.', nullableText),
  }),
);

export const S3ImportsResponse = named('S3Imports', t.Object({ data: t.Array(S3ImportResponse) }));

export const BucketSourceResponse = named(
  'BucketSource',
  t.Object({
    ...remoteAnswer,
    excluded: described(
      'How many paths are not fetched because a file there was deleted or moved, or an S3 client deleted a key without one. Nothing is fetched from 100,000 on.',
      wholeNumber(),
    ),
    error: described(
      'Why the last file could not be fetched, as a sentence; null where it was.',
      nullableText,
    ),
    date: described('When it was set, in ISO 8601 and UTC.', t.String()),
  }),
);

export const FoundBucketSourceResponse = named(
  'FoundBucketSource',
  t.Object({ source: t.Union([BucketSourceResponse, t.Null()]) }),
);
