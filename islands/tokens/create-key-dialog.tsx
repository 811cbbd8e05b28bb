import type { KeyScope } from '../../server/contract/wire.ts';
import { call } from '../runtime/api.ts';
import { expiryOf } from '../ui/date/expiry.ts';
import { KeyDialog, type KeyDialogProps } from '../ui/keys/key-dialog.tsx';

const SCOPES: { scope: KeyScope; label: string; text: string }[] = [
  { scope: 'read', label: 'Read', text: 'List files, create read tokens.' },
  { scope: 'write', label: 'Write', text: 'Upload and delete files.' },
  { scope: 'read-write', label: 'Both', text: 'All that the primary key can.' },
];

/** Creates an API key of a bucket, and then shows it. */
export const CreateKeyDialog = ({ bucketId, ...dialog }: KeyDialogProps & { bucketId: string }) => (
  <KeyDialog
    {...dialog}
    kind="API key"
    secretName="key"
    text="It works for this bucket only."
    scopes={SCOPES}
    defaultScope="read"
    create={({ name, scope, day }) =>
      call('POST /buckets/api-keys/:bucketID', {
        params: { bucketID: bucketId },
        body: { name, scope, expires: expiryOf(day) },
      })
    }
    secretsOf={({ api_key }) => [{ label: null, text: api_key, copyLabel: 'Copy new API key' }]}
  />
);
