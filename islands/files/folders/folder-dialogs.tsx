import type { RefObject } from 'react';
import { count } from '../../../server/contract/units.ts';
import { ConfirmDialog, Dialog, Subject } from '../../ui/dialog/dialog.tsx';
import { useFormError } from '../../ui/form/form-error.ts';
import { MoveForm } from '../moves/move-dialog.tsx';
import { baseName, folderOf } from '../moves/paths.ts';
import { CopyFolder } from './copy-folder.tsx';
import type { FolderChange } from './folder-menu.tsx';
import { FolderNameForm } from './folder-name-form.tsx';
import type { FolderJob } from './use-folder-job.ts';

/** Asks how a folder is changed, and starts the job that does so. */
export function FolderDialogs({
  bucketId,
  change,
  keptDays,
  start,
  after,
  onClose,
}: {
  bucketId: string;
  /** Null while no dialog is open. */
  change: FolderChange | null;
  /** For how many days deleted files stay in the trash; 0 where they are deleted for good. */
  keptDays: number;
  start: FolderJob['start'];
  /** Gets the focus after a job was started, as the folder leaves the list. */
  after: RefObject<HTMLElement | null>;
  onClose: () => void;
}) {
  const form = useFormError(start);
  const path = change?.folder ?? '';
  const parent = folderOf(path.slice(0, -1));
  const subject = <Subject>{baseName(path)}</Subject>;
  const close = () => {
    start.reset();
    onClose();
  };
  const moveTo = (target: string) =>
    start.mutate(
      { action: 'move', path, target },
      {
        onSuccess: () => {
          close();
          requestAnimationFrame(() => after.current?.focus({ preventScroll: true }));
        },
      },
    );
  return (
    <>
      <Dialog
        open={change?.action === 'rename'}
        locked={start.isPending}
        title="Rename folder"
        text={<>Files in {subject} keep their URLs by ID. Their URLs by path change.</>}
        onClose={close}
      >
        <FolderNameForm
          start={baseName(path)}
          help="If another folder has this name, both are merged."
          act="Rename"
          sending={start}
          onCancel={close}
          onName={(name) => moveTo(`${parent}${name}`)}
        />
      </Dialog>
      <Dialog
        open={change?.action === 'move'}
        locked={start.isPending}
        title="Move folder"
        text={
          <>
            Choose a folder for {subject}. Its files keep their URLs by ID. Their URLs by path
            change.
          </>
        }
        onClose={close}
      >
        <MoveForm
          bucketId={bucketId}
          start={parent}
          error={form.error}
          isPending={start.isPending}
          onChange={form.clear}
          onCancel={close}
          onFolder={(folder) => moveTo(`${folder}${baseName(path)}`)}
        />
      </Dialog>
      <CopyFolder
        bucketId={bucketId}
        folder={change?.action === 'copy' ? change.folder : null}
        start={start}
        onClose={close}
      />
      <ConfirmDialog
        open={change?.action === 'delete'}
        title="Delete folder"
        text={<DeleteText path={path} keptDays={keptDays} />}
        act="Delete"
        isPending={start.isPending}
        after={after}
        onConfirm={() => start.mutate({ action: 'delete', path }, { onSettled: close })}
        onClose={close}
      />
    </>
  );
}

const DeleteText = ({ path, keptDays }: { path: string; keptDays: number }) => (
  <>
    <Subject>{baseName(path)}</Subject> and all files in it{' '}
    {keptDays > 0
      ? `will be deleted. The files stay in the trash for ${count(keptDays, 'day')}.`
      : 'will be permanently deleted.'}{' '}
    Their URLs stop working immediately.
  </>
);
