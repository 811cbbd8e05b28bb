import { type FormEvent, type RefObject, useState } from 'react';
import type { FileWire } from '../../../server/contract/wire.ts';
import { Dialog, DialogButtons, Subject } from '../../ui/dialog/dialog.tsx';
import { Button } from '../../ui/form/button.tsx';
import { TextField } from '../../ui/form/field.tsx';
import { FolderTree } from './folder-tree.tsx';
import { baseName, folderOf, toFolder } from './paths.ts';
import { useMoveFiles } from './use-move.ts';

/** Asks for the folder into which files are moved. A new folder can be typed. */
export function MoveDialog({
  bucketId,
  files,
  after,
  onClose,
}: {
  bucketId: string;
  /** Null while the dialog is closed. */
  files: FileWire[] | null;
  /** Gets the focus after files have been moved, as their rows may have left the list. */
  after: RefObject<HTMLElement | null>;
  onClose: () => void;
}) {
  const move = useMoveFiles(bucketId);
  const close = () => {
    onClose();
    requestAnimationFrame(() => after.current?.focus({ preventScroll: true }));
  };
  return (
    <Dialog
      open={files !== null}
      locked={move.isPending}
      title="Move"
      text={files && <MoveText files={files} />}
      onClose={onClose}
    >
      {files && (
        <MoveForm
          bucketId={bucketId}
          start={folderOf(files[0]?.path ?? '')}
          isPending={move.isPending}
          onCancel={onClose}
          onFolder={(folder) => move.mutate({ files, folder }, { onSuccess: close })}
        />
      )}
    </Dialog>
  );
}

const MoveText = ({ files }: { files: FileWire[] }) =>
  files.length === 1 ? (
    <>
      Choose a folder for <Subject>{baseName(files[0]?.path ?? '')}</Subject>. It keeps its URLs by
      ID. Its URL by path changes.
    </>
  ) : (
    <>
      Choose a folder for <Subject>{files.length} files</Subject>. They keep their URLs by ID. Their
      URLs by path change.
    </>
  );

/** Asks for a folder, in the tree or as a text. */
export function MoveForm({
  bucketId,
  start,
  act = 'Move',
  error = null,
  isPending,
  onChange,
  onCancel,
  onFolder,
}: {
  bucketId: string;
  start: string;
  /** The label of the button. */
  act?: string;
  /** Why the folder was refused. */
  error?: string | null;
  isPending: boolean;
  onChange?: () => void;
  onCancel: () => void;
  onFolder: (folder: string) => void;
}) {
  const [text, setText] = useState(start.slice(0, -1));
  const change = (next: string) => {
    setText(next);
    onChange?.();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isPending) onFolder(toFolder(text));
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <FolderTree
        bucketId={bucketId}
        value={toFolder(text)}
        onValue={(folder) => change(folder.slice(0, -1))}
      />
      <TextField
        label="Folder"
        help="Created if it doesn’t exist. Leave empty for the top folder."
        value={text}
        maxLength={1000}
        error={error}
        onValue={change}
      />
      <DialogButtons>
        <Button className="btn-ghost" disabled={isPending} onClick={onCancel}>
          Cancel
        </Button>
        <Button type="submit" className="btn-primary" pending={isPending}>
          {act}
        </Button>
      </DialogButtons>
    </form>
  );
}
