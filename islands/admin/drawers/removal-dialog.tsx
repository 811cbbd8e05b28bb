import { useState } from 'react';
import { Dialog } from '../../ui/dialog/dialog.tsx';
import { Button } from '../../ui/form/button.tsx';
import { TextField } from '../../ui/form/field.tsx';
import { useRemoval } from '../admin-calls.ts';
import type { Target } from './ban-dialog.tsx';

const ASKED = { bucket: 'Name of the bucket', user: 'Email of the user' };

/** Asks for the name of what is to be deleted, and says what is lost. */
export function RemovalDialog({
  target,
  onClose,
}: {
  /** Null while nothing is asked; `loss` is what goes, such as '3 files, 1.42 GiB'. */
  target: (Target & { loss: string | null }) | null;
  onClose: () => void;
}) {
  const [typed, setTyped] = useState('');
  const remove = useRemoval();
  const close = () => {
    setTyped('');
    remove.reset();
    onClose();
  };
  return (
    <Dialog
      open={target !== null}
      locked={remove.isPending}
      title={`Delete ${target?.kind ?? ''}`}
      text={
        target && (
          <>
            <strong className="font-medium wrap-anywhere text-base-content">{target.name}</strong>{' '}
            {target.loss && <span className="numbers">({target.loss}) </span>}
            and all of its data will be permanently deleted. This can’t be undone.
          </>
        )
      }
      onClose={close}
    >
      {target && (
        <form
          className="flex flex-col gap-5"
          onSubmit={(event) => {
            event.preventDefault();
            if (typed !== target.name) return;
            const { kind, id, name } = target;
            remove.mutate({ kind, id, name }, { onSuccess: close });
          }}
        >
          <TextField
            label={ASKED[target.kind]}
            help="Type it exactly as shown above."
            value={typed}
            autoComplete="off"
            spellCheck={false}
            onValue={setTyped}
          />
          <div className="flex justify-end gap-2">
            <Button className="btn-ghost" disabled={remove.isPending} onClick={close}>
              Cancel
            </Button>
            <Button
              type="submit"
              className="btn-error"
              disabled={typed !== target.name}
              pending={remove.isPending}
            >
              Delete
            </Button>
          </div>
        </form>
      )}
    </Dialog>
  );
}
