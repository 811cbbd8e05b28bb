import { t } from 'elysia';
import { ERROR_CODES } from '../failure.ts';
import { BULK_MAX_FILES } from '../limits.ts';
import { formatCount } from '../units.ts';
import { described, named, oneOf } from './fields.ts';
import { ACCESSES } from './files.ts';

const ids = t.Array(t.String({ maxLength: 26 }), {
  minItems: 1,
  maxItems: BULK_MAX_FILES,
  error: `ids must be the ids of 1 to ${formatCount(BULK_MAX_FILES)} files.`,
});

export const BulkDeleteBody = named('BulkDelete', t.Object({ ids }));

export const BulkMoveBody = named(
  'BulkMove',
  t.Object({
    ids,
    folder: described(
      'The folder the files are moved into, such as photos/2026; empty for the top.',
      t.String({ maxLength: 1024 }),
    ),
    on_conflict: t.Optional(
      oneOf(['error', 'replace'], { error: 'on_conflict must be error or replace.' }),
    ),
  }),
);

const copyConflict = t.Optional(
  oneOf(['error', 'rename', 'replace'], {
    error: 'on_conflict must be error, rename or replace.',
  }),
);
const targetBucket = t.Optional(
  described(
    'Another bucket of the account, which only a session can copy to; the same one where it is left out.',
    t.String({ maxLength: 26 }),
  ),
);

export const CopyBody = named(
  'FileCopy',
  t.Object(
    {
      path: t.Optional(
        described(
          'The path of the copy; where it is left out, that of the file, with a number where it is taken.',
          t.String({ maxLength: 1024 }),
        ),
      ),
      bucket_id: targetBucket,
      on_conflict: copyConflict,
    },
    { minProperties: 1, error: 'Send path, bucket_id or on_conflict.' },
  ),
);

export const BulkCopyBody = named(
  'BulkCopy',
  t.Object({
    ids,
    folder: described(
      'The folder the files are copied into, such as photos/2026; empty for the top.',
      t.String({ maxLength: 1024 }),
    ),
    bucket_id: targetBucket,
    on_conflict: copyConflict,
  }),
);

export const BulkRestoreBody = named(
  'BulkRestore',
  t.Object({
    ids,
    on_conflict: t.Optional(
      oneOf(['error', 'rename'], { error: 'on_conflict must be error or rename.' }),
    ),
  }),
);

export const BulkPurgeBody = named('BulkPurge', t.Object({ ids }));

export const BulkAccessBody = named(
  'BulkAccess',
  t.Object({ ids, access: oneOf(ACCESSES, { error: 'access must be public or private.' }) }),
);

export const BulkResponse = named(
  'BulkResult',
  t.Object({
    data: t.Array(
      t.Object({
        id: t.String(),
        error: described(
          'Why this file was not changed; null where it was.',
          t.Nullable(t.Object({ code: oneOf(ERROR_CODES), message: t.String() })),
        ),
      }),
    ),
  }),
);
