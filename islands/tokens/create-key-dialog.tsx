import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { BUCKET_NAME_MAX } from '../../server/contract/limits.ts';
import { MESSAGES } from '../../server/contract/messages.ts';
import type { KeyScope } from '../../server/contract/wire.ts';
import { call } from '../runtime/api.ts';
import { CopyButton } from '../ui/copy-button.tsx';
import { DayField } from '../ui/date/day-field.tsx';
import { expiryOf } from '../ui/date/expiry.ts';
import { Dialog } from '../ui/dialog/dialog.tsx';
import { Button } from '../ui/form/button.tsx';
import { TextField } from '../ui/form/field.tsx';
import { ScopeChoice } from '../ui/form/scope-choice.tsx';

const SCOPES: { scope: KeyScope; label: string; text: string }[] = [
  { scope: 'read', label: 'Read', text: 'List files, create read tokens.' },
  { scope: 'write', label: 'Write', text: 'Upload and delete files.' },
  { scope: 'read-write', label: 'Both', text: 'All that the primary key can.' },
];

type KeyForm = { name: string; scope: KeyScope; expires: number };

/** Creates an API key, and then shows it, as nothing can show it later. */
export function CreateKeyDialog({
  bucketId,
  open,
  onCreated,
  onClose,
}: {
  bucketId: string;
  open: boolean;
  onCreated: () => void;
  onClose: () => void;
}) {
  const create = useMutation({
    mutationFn: (form: KeyForm) => createKey(bucketId, form),
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
      title={created ? 'API key created' : 'Create API key'}
      text={
        created
          ? `Copy the key of “${created.name}” now. You won't be able to see it again.`
          : 'It works for this bucket only.'
      }
      onClose={close}
    >
      {created ? (
        <CreatedKey apiKey={created.api_key} onClose={close} />
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
  const [scope, setScope] = useState<KeyScope | null>('read');
  const [day, setDay] = useState('');
  return (
    <form
      className="flex flex-col gap-5"
      onSubmit={(event) => {
        event.preventDefault();
        if (scope) onSubmit({ name, scope, expires: expiryOf(day) });
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
      <ScopeChoice options={SCOPES} value={scope} onValue={setScope} />
      <DayField
        label="Expiration date (optional)"
        help="The last day the key works, in your time zone. Without a date, it works until you delete it."
        onValue={setDay}
      />
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" className="btn-primary" pending={isPending} disabled={!scope}>
          Create key
        </Button>
      </div>
    </form>
  );
}

function CreatedKey({ apiKey, onClose }: { apiKey: string; onClose: () => void }) {
  return (
    <div className="flex flex-col gap-5">
      <div className="flex items-start gap-1 rounded-md border border-base-300 bg-base-100 py-2 pr-1 pl-3">
        <code className="min-w-0 grow py-1.5 font-mono text-xs break-all">{apiKey}</code>
        <CopyButton text={apiKey} label="Copy new API key" copiedText={MESSAGES.copiedKey} />
      </div>
      <Button className="btn-primary self-end" autoFocus onClick={onClose}>
        Done
      </Button>
    </div>
  );
}

const createKey = (bucketId: string, body: KeyForm) =>
  call('POST /buckets/api-keys/:bucketID', { params: { bucketID: bucketId }, body });
