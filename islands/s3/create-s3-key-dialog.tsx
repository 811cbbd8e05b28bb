import { useState } from 'react';
import { SECOND } from '../../server/contract/limits.ts';
import type { S3KeyWire } from '../../server/contract/wire.ts';
import { call } from '../runtime/api.ts';
import { expiryOf } from '../ui/date/expiry.ts';
import { KeyDialog, type KeyDialogProps } from '../ui/keys/key-dialog.tsx';
import { type BucketChoice, BucketsField } from './buckets-field.tsx';

type Access = S3KeyWire['access'];

const ACCESSES: { scope: Access; label: string; text: string }[] = [
  { scope: 'read', label: 'Read', text: 'List and download files.' },
  { scope: 'write', label: 'Write', text: 'Upload and delete files.' },
  { scope: 'both', label: 'Both', text: 'Read and write.' },
];

/** Creates an S3 key, and then shows it. */
export function CreateS3KeyDialog({ onClose, ...dialog }: KeyDialogProps) {
  const [buckets, setBuckets] = useState<BucketChoice[] | null>(null);
  const close = () => {
    setBuckets(null);
    onClose();
  };
  return (
    <KeyDialog
      {...dialog}
      kind="S3 key"
      secretName="secret"
      text="It works with all S3 clients."
      scopes={ACCESSES}
      defaultScope="both"
      create={({ name, scope: access, day }) =>
        call('POST /s3-keys', {
          body: {
            ...{ name, access, expires_at: toIso(day) },
            buckets: buckets?.map(({ id }) => id) ?? null,
          },
        })
      }
      secretsOf={({ access_key_id, secret_access_key }) => [
        { label: 'Access key ID', text: access_key_id, copyLabel: 'Copy access key ID' },
        {
          label: 'Secret access key',
          text: secret_access_key,
          copyLabel: 'Copy secret access key',
        },
      ]}
      isComplete={buckets === null || buckets.length > 0}
      onClose={close}
    >
      <BucketsField chosen={buckets} onChoose={setBuckets} />
    </KeyDialog>
  );
}

/** Returns the last second of a day in ISO 8601; null where no day was chosen. */
const toIso = (day: string): string | null =>
  day === '' ? null : new Date(expiryOf(day) * SECOND).toISOString();
