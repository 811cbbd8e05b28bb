import { type FormEvent, useState } from 'react';
import { DialogButtons } from '../../ui/dialog/dialog.tsx';
import { Button } from '../../ui/form/button.tsx';
import { TextField } from '../../ui/form/field.tsx';
import { type Sending, useFormError } from '../../ui/form/form-error.ts';
import { nameProblem } from '../moves/paths.ts';

/** Asks for the name of a folder. */
export function FolderNameForm({
  start = '',
  help,
  act,
  sending,
  onCancel,
  onName,
}: {
  start?: string;
  help?: string;
  /** The label of the button. */
  act: string;
  /** The mutation that `onName` starts. */
  sending: Sending & { isPending: boolean };
  onCancel: () => void;
  onName: (name: string) => void;
}) {
  const [text, setText] = useState(start);
  const form = useFormError(sending);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (sending.isPending) return;
    const name = text.trim();
    const problem = nameProblem(name);
    if (problem !== null) form.report(problem);
    else if (name === start) onCancel();
    else onName(name);
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-5">
      <TextField
        label="Name"
        help={help}
        error={form.error}
        value={text}
        maxLength={512}
        autoComplete="off"
        onFocus={(event) => event.currentTarget.select()}
        onValue={(value) => {
          form.clear();
          setText(value);
        }}
      />
      <DialogButtons>
        <Button className="btn-ghost" disabled={sending.isPending} onClick={onCancel}>
          Cancel
        </Button>
        <Button type="submit" className="btn-primary" pending={sending.isPending}>
          {act}
        </Button>
      </DialogButtons>
    </form>
  );
}
