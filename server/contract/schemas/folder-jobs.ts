import { t } from 'elysia';
import { described, named, nullableText, oneOf } from './fields.ts';

const ACTIONS = ['move', 'delete'] as const;

export const FolderJobBody = named(
  'NewFolderJob',
  t.Object({
    action: oneOf(ACTIONS, { error: 'action must be move or delete.' }),
    path: described('The folder, such as photos/2026.', t.String({ maxLength: 1024 })),
    target: t.Optional(
      described(
        'What a moved folder is to be called, such as archive/2026.',
        t.String({ maxLength: 1024 }),
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
    target: described('Where a moved folder goes; null for a deletion.', nullableText),
    status: oneOf(['running', 'completed', 'stopped']),
    done: described('How many files were moved or deleted so far.', t.Integer()),
    conflicts: described(
      'How many files stay where they are, as another file is at the new path or it would be too long.',
      t.Integer(),
    ),
    date: described('When the job was started, in ISO 8601 and UTC.', t.String()),
  }),
);
