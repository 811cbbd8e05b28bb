import { Dialog, Subject } from '../../ui/dialog/dialog.tsx';
import { useFormError } from '../../ui/form/form-error.ts';
import { CopyForm } from '../copies/copy-form.tsx';
import { baseName, folderOf } from '../moves/paths.ts';
import type { FolderJob } from './use-folder-job.ts';

/** Asks where a folder is copied, and starts the job that does so. */
export function CopyFolder({
  bucketId,
  folder,
  start,
  onClose,
}: {
  bucketId: string;
  /** The folder, which ends in '/'; null while the dialog is closed. */
  folder: string | null;
  start: FolderJob['start'];
  onClose: () => void;
}) {
  const form = useFormError(start);
  const path = folder ?? '';
  const copyTo = (target: string, parent: string) =>
    start.mutate(
      { action: 'copy', path, target: `${parent}${baseName(path)}`, bucket_id: target },
      { onSuccess: onClose },
    );
  return (
    <Dialog
      open={folder !== null}
      locked={start.isPending}
      title="Copy folder"
      text={
        <>
          Choose where to copy <Subject>{baseName(path)}</Subject>. The copies count as new files in
          storage.
        </>
      }
      onClose={onClose}
    >
      <CopyForm
        bucketId={bucketId}
        start={folderOf(path.slice(0, -1))}
        error={form.error}
        isPending={start.isPending}
        onChange={form.clear}
        onCancel={onClose}
        onTarget={copyTo}
      />
    </Dialog>
  );
}
