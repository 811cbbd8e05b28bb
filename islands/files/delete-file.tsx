import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { RefObject } from 'react';
import { formatBytes, truncate } from '../../server/contract/units.ts';
import type { FileWire } from '../../server/contract/wire.ts';
import { call } from '../runtime/api.ts';
import { notify } from '../runtime/notify.ts';
import { ConfirmDialog, Subject } from '../ui/dialog/dialog.tsx';
import { filesKey } from '../uploads/shared.ts';
import { type FilePages, listsKey } from './use-files.ts';

/** Asks before a file is deleted, and says what is deleted with it. */
export function DeleteDialog({
  file,
  after,
  onConfirm,
  onClose,
}: {
  /** Null while the dialog is closed. */
  file: FileWire | null;
  /** Gets the focus after the row has been removed. */
  after: RefObject<HTMLElement | null>;
  onConfirm: (file: FileWire) => void;
  onClose: () => void;
}) {
  return (
    <ConfirmDialog
      open={file !== null}
      title="Delete file"
      text={
        file && (
          <>
            <Subject>{file.name}</Subject>{' '}
            <span className="numbers whitespace-nowrap">({formatBytes(file.size)})</span> and
            everything generated from it will be permanently deleted. Its URLs stop working
            immediately.
          </>
        )
      }
      act="Delete"
      after={after}
      onConfirm={() => file && onConfirm(file)}
      onClose={onClose}
    />
  );
}

type Pages = FilePages | undefined;

/** Deletes a file. Its row is removed immediately, and restored if the call fails. */
export function useDeleteFile(bucketId: string) {
  const client = useQueryClient();
  const queryKey = filesKey(bucketId);
  const lists = { queryKey: listsKey(bucketId) };
  return useMutation({
    mutationFn: ({ id }: FileWire) =>
      call('DELETE /files/:bucketID/:fileID', { params: { bucketID: bucketId, fileID: id } }),
    onMutate: async ({ id }) => {
      await client.cancelQueries({ queryKey });
      const before = client.getQueriesData<Pages>(lists);
      client.setQueriesData<Pages>(lists, (list) => without(list, id));
      return before;
    },
    onError: (_error, _file, before) => {
      for (const [key, list] of before ?? []) client.setQueryData(key, list);
    },
    onSuccess: (_response, { name }) => notify.success(`${truncate(name)} was deleted.`),
    onSettled: () => client.invalidateQueries({ queryKey }),
  });
}

const without = (list: Pages, id: string): Pages =>
  list && {
    ...list,
    pages: list.pages.map((page) => ({ ...page, data: page.data.filter((one) => one.id !== id) })),
  };
