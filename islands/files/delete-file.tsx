import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { RefObject } from 'react';
import { count, formatBytes, truncate } from '../../server/contract/units.ts';
import type { FileWire } from '../../server/contract/wire.ts';
import { call } from '../runtime/api.ts';
import { notify } from '../runtime/notify.ts';
import { ConfirmDialog, Subject } from '../ui/dialog/dialog.tsx';
import { filesKey } from '../uploads/shared.ts';
import { changeFiles } from './selection/change-files.ts';
import { useTrashChange } from './trash/use-trash.ts';
import { type FilePages, listsKey } from './use-files.ts';

/** Asks before files are deleted, says what is deleted with them, and deletes them. */
export function DeleteDialog({
  bucketId,
  files,
  keptDays,
  after,
  onDelete,
  onClose,
}: {
  bucketId: string;
  /** Null while the dialog is closed. */
  files: FileWire[] | null;
  /** For how many days they stay in the trash; 0 where they are deleted for good. */
  keptDays: number;
  /** Gets the focus after a row has been removed. */
  after: RefObject<HTMLElement | null>;
  /** Called when the files are being deleted. */
  onDelete: () => void;
  onClose: () => void;
}) {
  const remove = useDeleteFiles(bucketId, keptDays);
  return (
    <ConfirmDialog
      open={files !== null}
      title={files && files.length > 1 ? 'Delete files' : 'Delete file'}
      text={files && <DeleteText files={files} keptDays={keptDays} />}
      act="Delete"
      after={after}
      onConfirm={() => {
        if (!files) return;
        remove.mutate(files);
        onDelete();
      }}
      onClose={onClose}
    />
  );
}

function DeleteText({ files, keptDays }: { files: FileWire[]; keptDays: number }) {
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  const [{ name } = { name: '' }] = files;
  return (
    <>
      <Subject>{files.length === 1 ? name : `${files.length} files`}</Subject>{' '}
      <span className="numbers whitespace-nowrap">({formatBytes(bytes)})</span>{' '}
      {keptDays > 0
        ? `will be moved to the trash for ${count(keptDays, 'day')}.`
        : `and everything generated from ${files.length === 1 ? 'it' : 'them'} will be permanently deleted.`}{' '}
      {files.length === 1 ? 'Its' : 'Their'} URLs stop working immediately.
    </>
  );
}

type Pages = FilePages | undefined;

/**
 * Deletes files. Their rows are removed immediately, and those restored whose call fails. Where the bucket keeps deleted
 * files, the toast can undo it.
 */
function useDeleteFiles(bucketId: string, keptDays: number) {
  const client = useQueryClient();
  const { mutate: changeTrash } = useTrashChange(bucketId);
  const queryKey = filesKey(bucketId);
  const lists = { queryKey: listsKey(bucketId) };
  return useMutation({
    mutationFn: async (files: FileWire[]) => {
      const [file] = files;
      if (file && files.length === 1) {
        await call('DELETE /files/:bucketID/:fileID', {
          params: { bucketID: bucketId, fileID: file.id },
        });
        return [];
      }
      const failures = await changeFiles(files, (ids) =>
        call('POST /files/bulk/delete/:bucketID', {
          params: { bucketID: bucketId },
          body: { ids },
        }),
      );
      return files.filter(({ id }) => failures.has(id));
    },
    onMutate: async (files) => {
      await client.cancelQueries({ queryKey });
      const before = client.getQueriesData<Pages>(lists);
      client.setQueriesData<Pages>(lists, (list) => without(list, files));
      return before;
    },
    onError: (_error, _files, before) => {
      for (const [key, list] of before ?? []) client.setQueryData(key, list);
    },
    onSuccess: (failed, files, before) => {
      const deleted = files.filter((file) => !failed.includes(file));
      if (failed.length > 0) {
        for (const [key, list] of before) client.setQueryData(key, without(list, deleted));
        notify.error(`${failed.length} of ${files.length} files could not be deleted.`);
        return;
      }
      const name = files.length === 1 ? truncate(files[0]?.name ?? '') : `${files.length} files`;
      const text = `${name} ${files.length === 1 ? 'was' : 'were'} deleted.`;
      if (keptDays === 0) notify.success(text);
      else notify.undoable(text, () => changeTrash({ files, action: 'restore', isRenamed: true }));
    },
    onSettled: () => client.invalidateQueries({ queryKey }),
  });
}

function without(list: Pages, files: FileWire[]): Pages {
  const ids = new Set(files.map(({ id }) => id));
  return (
    list && {
      ...list,
      pages: list.pages.map((page) => ({
        ...page,
        data: page.data.filter(({ id }) => !ids.has(id)),
      })),
    }
  );
}
