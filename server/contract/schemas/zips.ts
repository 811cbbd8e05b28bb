import { t } from 'elysia';
import { BULK_MAX_FILES, ZIP_MAX_FILES } from '../limits.ts';
import { formatCount } from '../units.ts';
import { byteCount, described, named, nullableText, wholeNumber } from './fields.ts';

export const ZipBody = named(
  'NewZip',
  t.Object({
    folder: t.Optional(
      described(
        `A folder such as photos/2026, of at most ${formatCount(ZIP_MAX_FILES)} files; empty for the whole bucket.`,
        t.String({ maxLength: 1024 }),
      ),
    ),
    ids: t.Optional(
      described(
        'The ids of files, instead of a folder.',
        t.Array(t.String({ maxLength: 26 }), {
          minItems: 1,
          maxItems: BULK_MAX_FILES,
          error: `ids must be the ids of 1 to ${formatCount(BULK_MAX_FILES)} files.`,
        }),
      ),
    ),
  }),
);

export const ZipResponse = named(
  'Zip',
  t.Object({
    name: t.String(),
    url: described(
      'The address of the ZIP, which anyone who has it can open for 10 minutes; null where no file can be in it.',
      nullableText,
    ),
    files: described('How many files are in it.', wholeNumber()),
    left_out: described(
      'How many files are not in it: those that are being processed or have failed, and videos whose original is not kept.',
      wholeNumber(),
    ),
    size: described('How many bytes the ZIP has.', byteCount()),
    expires_at: described('Until when the address is valid, in ISO 8601 and UTC.', t.String()),
  }),
);
