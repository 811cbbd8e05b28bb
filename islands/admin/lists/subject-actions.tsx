import Ban from 'lucide-react/icons/ban';
import PanelRight from 'lucide-react/icons/panel-right';
import Trash from 'lucide-react/icons/trash-2';
import { useState } from 'react';
import { ConfirmDialog, Dialog, DialogButtons, Subject } from '../../ui/dialog/dialog.tsx';
import { Button } from '../../ui/form/button.tsx';
import { TextField } from '../../ui/form/field.tsx';
import { MenuItem } from '../../ui/menu/menu.tsx';
import { type Thing, useBan, useRemoval } from '../admin-calls.ts';

/** The menu of a bucket's or a user's row. */
export function SubjectMenu({
  isBanned,
  canAct = true,
  onDetails,
  onBan,
  onDelete,
}: {
  isBanned: boolean;
  /** Whether the admin may ban or delete it. */
  canAct?: boolean;
  onDetails: () => void;
  onBan: () => void;
  onDelete: () => void;
}) {
  return (
    <>
      <MenuItem onSelect={onDetails}>
        <PanelRight size={16} aria-hidden />
        Details
      </MenuItem>
      {canAct && (
        <>
          <MenuItem onSelect={onBan}>
            <Ban size={16} aria-hidden />
            {isBanned ? 'Unban' : 'Ban'}
          </MenuItem>
          <MenuItem danger onSelect={onDelete}>
            <Trash size={16} aria-hidden />
            Delete
          </MenuItem>
        </>
      )}
    </>
  );
}

type Target = Thing & { name: string };

const LOSSES = {
  bucket: 'Delivery and uploads stop immediately, and its API key and tokens stop working.',
  user: 'All sessions end immediately. API keys and tokens stop working, and so does delivery from all buckets.',
};

const AFTERWARDS = {
  bucket: 'Nothing is deleted, and you can lift the ban later.',
  user: 'You can lift the ban later. After at most 30 days their buckets are deleted.',
};

/** Asks before a user or a bucket is banned or unbanned. */
export function BanDialog({
  target,
  onClose,
}: {
  /** Null while the dialog is closed. */
  target: (Target & { isBanned: boolean }) | null;
  onClose: () => void;
}) {
  const ban = useBan();
  const act = target?.isBanned ? 'unban' : 'ban';
  const title = `${act === 'ban' ? 'Ban' : 'Unban'} ${target?.kind ?? ''}`;
  return (
    <ConfirmDialog
      open={target !== null}
      title={title}
      text={
        target && (
          <>
            <Subject>{target.name}</Subject>
            {': '}
            {act === 'ban'
              ? `${LOSSES[target.kind]} ${AFTERWARDS[target.kind]}`
              : target.kind === 'user'
                ? 'They can log in again, and delivery from their buckets resumes.'
                : 'Delivery and uploads resume.'}
          </>
        )
      }
      act={act === 'ban' ? 'Ban' : 'Unban'}
      isHarmless={act === 'unban'}
      isPending={ban.isPending}
      onConfirm={() =>
        target && ban.mutate({ kind: target.kind, id: target.id, act }, { onSuccess: onClose })
      }
      onClose={onClose}
    />
  );
}

const CONFIRMATION_LABELS = { bucket: 'Name of the bucket', user: 'Email of the user' };

/** Asks for the name of what is to be deleted, and says what will be lost. */
export function RemovalDialog({
  target,
  onClose,
}: {
  /** Null while the dialog is closed. `loss` says what is deleted, such as '3 files, 1.42 GiB'. */
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
            and all of {target.kind === 'user' ? 'their' : 'its'} data will be permanently deleted.
            This can’t be undone.
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
            label={CONFIRMATION_LABELS[target.kind]}
            help="Type it exactly as shown above."
            value={typed}
            autoComplete="off"
            spellCheck={false}
            onValue={setTyped}
          />
          <DialogButtons>
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
          </DialogButtons>
        </form>
      )}
    </Dialog>
  );
}
