import { t } from 'elysia';
import { ERROR_CODES } from '../failure.ts';
import { described, named, nullableText, oneOf, wholeNumber } from './fields.ts';

const ACTIONS = ['move', 'copy', 'delete'] as const;

export const FolderJobBody = named(
  'NewFolderJob',
  t.Object({
    action: oneOf(ACTIONS, { error: 'action must be move, copy or delete.' }),
    path: described('The folder, such as photos/2026.', t.String({ maxLength: 1024 })),
    target: t.Optional(
      described(
        'What a moved or copied folder is to be called, such as archive/2026.',
        t.String({ maxLength: 1024 }),
      ),
    ),
    bucket_id: t.Optional(
      described(
        'Another bucket of the account, into which only a session can copy a folder.',
        t.String({ maxLength: 26 }),
      ),
    ),
  }),
);

export const FolderJobResponse = named(
  'FolderJob',
  t.Object({
    id: t.String(),
    action: oneOf(ACTIONS),
    path: described('The folder, which ends in /.', t.String()),
    target: described('Where a moved or copied folder goes; null for a deletion.', nullableText),
    target_bucket_id: described(
      'The bucket into which it is copied; null for other jobs.',
      nullableText,
    ),
    status: oneOf(['running', 'completed', 'stopped']),
    done: described('How many files were moved, copied or deleted so far.', wholeNumber()),
    conflicts: described(
      'How many files were not moved or copied: another file is at the new path, it would be too long, or the file is being processed or is refused by the other bucket.',
      wholeNumber(),
    ),
    failures: described(
      'The first 100 of these files, in the order of their paths, and why each stayed as it was.',
      t.Array(
        t.Object({
          path: t.String(),
          error: t.Object({ code: oneOf(ERROR_CODES), message: t.String() }),
        }),
      ),
    ),
    date: described('When the job was started, in ISO 8601 and UTC.', t.String()),
  }),
);

export const FolderJobsResponse = named(
  'FolderJobs',
  t.Object({ data: t.Array(FolderJobResponse) }),
);
