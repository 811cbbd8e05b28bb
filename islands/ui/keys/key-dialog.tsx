import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { BUCKET_NAME_MAX } from '../../../server/contract/limits.ts';
import { MESSAGES } from '../../../server/contract/messages.ts';
import { CopyButton } from '../copy-button.tsx';
import { DayField } from '../date/day-field.tsx';
import { Dialog, DialogButtons } from '../dialog/dialog.tsx';
import { Button } from '../form/button.tsx';
import { TextField } from '../form/field.tsx';
import { ScopeChoice } from '../form/scope-choice.tsx';

/** What is asked for every kind of key. `day` is the last day on which it works; '' for none. */
export type KeyFields<Scope> = { name: string; scope: Scope; day: string };

/** A text of a new key to be copied, which nothing shows later. The only one of a key needs no label. */
type Secret = { label: string | null; text: string; copyLabel: string };

/** What a page opens the dialog of its kind of key with. */
export type KeyDialogProps = { open: boolean; onCreated: () => void; onClose: () => void };

/**
 * Creates a key, and then shows it.
 * @param props.kind such as 'API key'
 * @param props.secretName what is to be copied, such as 'key'
 * @param props.children further fields of the form
 */
export function KeyDialog<Scope extends string, Created extends { name: string }>({
  kind,
  secretName,
  text,
  scopes,
  defaultScope,
  create,
  secretsOf,
  isComplete = true,
  children,
  open,
  onCreated,
  onClose,
}: KeyDialogProps & {
  kind: string;
  secretName: string;
  text: string;
  scopes: { scope: Scope; label: string; text: string }[];
  defaultScope: Scope;
  create: (fields: KeyFields<Scope>) => Promise<Created>;
  secretsOf: (created: Created) => Secret[];
  isComplete?: boolean;
  children?: ReactNode;
}) {
  const creation = useMutation({ mutationFn: create, onSuccess: onCreated });
  const created = creation.data;
  const close = () => {
    creation.reset();
    onClose();
  };
  return (
    <Dialog
      open={open}
      locked={created !== undefined}
      title={created ? `${kind} created` : `Create ${kind}`}
      text={
        created
          ? `Copy the ${secretName} of “${created.name}” now. You won’t be able to see it again.`
          : text
      }
      onClose={close}
    >
      {created ? (
        <div className="flex flex-col gap-5">
          {secretsOf(created).map((secret) => (
            <SecretText key={secret.copyLabel} {...secret} />
          ))}
          <Button className="btn-primary self-end" autoFocus onClick={close}>
            Done
          </Button>
        </div>
      ) : (
        <KeyForm
          scopes={scopes}
          defaultScope={defaultScope}
          isPending={creation.isPending}
          isComplete={isComplete}
          onSubmit={creation.mutate}
          onClose={close}
        >
          {children}
        </KeyForm>
      )}
    </Dialog>
  );
}

function KeyForm<Scope extends string>({
  scopes,
  defaultScope,
  isPending,
  isComplete,
  onSubmit,
  onClose,
  children,
}: {
  scopes: { scope: Scope; label: string; text: string }[];
  defaultScope: Scope;
  isPending: boolean;
  isComplete: boolean;
  onSubmit: (fields: KeyFields<Scope>) => void;
  onClose: () => void;
  children: ReactNode;
}) {
  const [name, setName] = useState('');
  const [scope, setScope] = useState<Scope | null>(defaultScope);
  const [day, setDay] = useState('');
  return (
    <form
      className="flex flex-col gap-5"
      onSubmit={(event) => {
        event.preventDefault();
        if (scope) onSubmit({ name, scope, day });
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
      <ScopeChoice options={scopes} value={scope} onValue={setScope} />
      {children}
      <DayField
        label="Expiration date (optional)"
        help="The last day the key works, in your time zone. Without a date, it works until you delete it."
        onValue={setDay}
      />
      <DialogButtons>
        <Button className="btn-ghost" onClick={onClose}>
          Cancel
        </Button>
        <Button
          type="submit"
          className="btn-primary"
          pending={isPending}
          disabled={!scope || !isComplete}
        >
          Create key
        </Button>
      </DialogButtons>
    </form>
  );
}

const SecretText = ({ label, text, copyLabel }: Secret) => (
  <div>
    {label && <p className="mb-1.5 font-medium">{label}</p>}
    <div className="flex items-center gap-1 rounded-md border border-base-300 bg-base-100 py-2 pr-1 pl-3">
      <code className="min-w-0 grow py-1.5 font-mono text-xs break-all">{text}</code>
      <CopyButton text={text} label={copyLabel} copiedText={MESSAGES.copiedKey} />
    </div>
  </div>
);
