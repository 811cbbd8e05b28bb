import { useMutation, useQueryClient } from '@tanstack/react-query';
import { count, truncate } from '../../../server/contract/units.ts';
import type { FileWire } from '../../../server/contract/wire.ts';
import { call } from '../../runtime/api.ts';
import { notify } from '../../runtime/notify.ts';
import { Dialog, Subject } from '../../ui/dialog/dialog.tsx';
import { filesKey } from '../../uploads/shared.ts';
import { baseName, folderOf } from '../moves/paths.ts';
import { changeFiles } from '../selection/change-files.ts';
import { CopyForm } from './copy-form.tsx';

/** Asks where files are copied. */
export function CopyDialog({
  bucketId,
  files,
  onClose,
}: {
  bucketId: string;
  /** Null while the dialog is closed. */
  files: FileWire[] | null;
  onClose: () => void;
}) {
  const copy = useCopyFiles(bucketId);
  const [file] = files ?? [];
  const what = files?.length === 1 ? baseName(file?.path ?? '') : count(files?.length ?? 0, 'file');
  return (
    <Dialog
      open={files !== null}
      locked={copy.isPending}
      title="Copy to"
      text={
        files && (
          <>
            Choose where to copy <Subject>{what}</Subject>. A copy counts as a new file in storage,
            and gets a number if its path is taken.
          </>
        )
      }
      onClose={onClose}
    >
      {files && (
        <CopyForm
          bucketId={bucketId}
          start={folderOf(file?.path ?? '')}
          isPending={copy.isPending}
          onCancel={onClose}
          onTarget={(target, folder) =>
            copy.mutate({ files, target, folder }, { onSuccess: onClose })
          }
        />
      )}
    </Dialog>
  );
}

/** Copies files into a folder, and says how many of them, and why others were not. */
function useCopyFiles(bucketId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({
      files,
      target,
      folder,
    }: {
      files: FileWire[];
      target: string;
      folder: string;
    }) =>
      changeFiles(files, (ids) =>
        call('POST /files/bulk/copy/:bucketID', {
          params: { bucketID: bucketId },
          body: { ids, folder, bucket_id: target, on_conflict: 'rename' },
        }),
      ),
    onSuccess: (failures, { files, folder }) => {
      const place = folder === '' ? 'the top folder' : truncate(folder.slice(0, -1));
      const [reason] = failures.values();
      const copied = files.length - failures.size;
      if (reason === undefined) {
        notify.success(`${count(copied, 'file')} copied to ${place}.`);
      } else
        notify.error(`${copied} of ${files.length} files copied to ${place}. ${reason.message}`);
    },
    onSettled: (_failures, _error, { target }) =>
      client.invalidateQueries({ queryKey: filesKey(target) }),
  });
}
