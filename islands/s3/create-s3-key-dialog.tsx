import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { BUCKET_NAME_MAX, SECOND } from '../../server/contract/limits.ts';
import { MESSAGES } from '../../server/contract/messages.ts';
import type { CreatedS3KeyWire, S3KeyWire } from '../../server/contract/wire.ts';
import { call } from '../runtime/api.ts';
import { CopyButton } from '../ui/copy-button.tsx';
import { DayField } from '../ui/date/day-field.tsx';
import { expiryOf } from '../ui/date/expiry.ts';
import { Dialog } from '../ui/dialog/dialog.tsx';
import { Button } from '../ui/form/button.tsx';
import { TextField } from '../ui/form/field.tsx';
import { ScopeChoice } from '../ui/form/scope-choice.tsx';

type Access = S3KeyWire['access'];

const ACCESSES: { scope: Access; label: string; text: string }[] = [
  { scope: 'read', label: 'Read', text: 'List and download files.' },
  { scope: 'write', label: 'Write', text: 'Upload and delete files.' },
  { scope: 'both', label: 'Both', text: 'Read and write.' },
];

type KeyForm = {
  name: string;
  access: Access;
  buckets: string[] | null;
  expires_at: string | null;
};

/** Creates an S3 key, and then shows it, as nothing can show its secret later. */
export function CreateS3KeyDialog({
  open,
  onCreated,
  onClose,
}: {
  open: boolean;
  onCreated: () => void;
  onClose: () => void;
}) {
  const create = useMutation({
    mutationFn: (body: KeyForm) => call('POST /s3-keys', { body }),
    onSuccess: onCreated,
  });
  const created = create.data;
  const close = () => {
    create.reset();
    onClose();
  };
  return (
    <Dialog
      open={open}
      locked={created !== undefined}
      title={created ? 'S3 key created' : 'Create S3 key'}
      text={
        created
          ? `Copy the secret of “${created.name}” now. You won't be able to see it again.`
          : 'It works with all S3 clients.'
      }
      onClose={close}
    >
      {created ? (
        <CreatedKey created={created} onClose={close} />
      ) : (
        <Form isPending={create.isPending} onSubmit={create.mutate} onClose={close} />
      )}
    </Dialog>
  );
}

function Form({
  isPending,
  onSubmit,
  onClose,
}: {
  isPending: boolean;
  onSubmit: (form: KeyForm) => void;
  onClose: () => void;
}) {
  const [name, setName] = useState('');
  const [access, setAccess] = useState<Access | null>('both');
  const [ids, setIds] = useState('');
  const [day, setDay] = useState('');
  return (
    <form
      className="flex flex-col gap-5"
      onSubmit={(event) => {
        event.preventDefault();
        const buckets = ids.split(/[\s,]+/).filter((id) => id !== '');
        const form = { buckets: buckets.length > 0 ? buckets : null, expires_at: toIso(day) };
        if (access) onSubmit({ name, access, ...form });
      }}
    >
      <TextField
        label="Name"
        help="What uses the key, such as Backup. Only you see it."
        value={name}
        maxLength={BUCKET_NAME_MAX}
        required
        autoComplete="off"
        onValue={setName}
      />
      <ScopeChoice options={ACCESSES} value={access} onValue={setAccess} />
      <TextField
        label="Bucket IDs (optional)"
        help="The buckets the key opens, separated by commas. Leave empty for all of your buckets."
        value={ids}
        autoComplete="off"
        onValue={setIds}
      />
      <DayField
        label="Expiration date (optional)"
        help="The last day the key works, in your time zone. Without a date, it works until you delete it."
        onValue={setDay}
      />
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" className="btn-primary" pending={isPending} disabled={!access}>
          Create key
        </Button>
      </div>
    </form>
  );
}

function CreatedKey({ created, onClose }: { created: CreatedS3KeyWire; onClose: () => void }) {
  return (
    <div className="flex flex-col gap-5">
      <Value label="Access key ID" text={created.access_key_id} />
      <Value label="Secret access key" text={created.secret_access_key} />
      <Button className="btn-primary self-end" autoFocus onClick={onClose}>
        Done
      </Button>
    </div>
  );
}

function Value({ label, text }: { label: string; text: string }) {
  return (
    <div>
      <p className="mb-1.5 font-medium">{label}</p>
      <div className="flex items-start gap-1 rounded-md border border-base-300 bg-base-100 py-2 pr-1 pl-3">
        <code className="min-w-0 grow py-1.5 font-mono text-xs break-all">{text}</code>
        <CopyButton
          text={text}
          label={`Copy ${label.charAt(0).toLowerCase()}${label.slice(1)}`}
          copiedText={MESSAGES.copiedKey}
        />
      </div>
    </div>
  );
}

/** Returns the last second of a day in ISO 8601; null where no day was chosen. */
const toIso = (day: string): string | null =>
  day === '' ? null : new Date(expiryOf(day) * SECOND).toISOString();
