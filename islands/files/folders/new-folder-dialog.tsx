import { useMutation, useQueryClient } from '@tanstack/react-query';
import { truncate } from '../../../server/contract/units.ts';
import { call } from '../../runtime/api.ts';
import { notify } from '../../runtime/notify.ts';
import { Dialog, Subject } from '../../ui/dialog/dialog.tsx';
import { filesKey } from '../../uploads/shared.ts';
import { FolderNameForm } from './folder-name-form.tsx';

/** Asks for the name of a folder, and creates it. */
export function NewFolderDialog({
  bucketId,
  parent,
  isOpen,
  onClose,
}: {
  bucketId: string;
  /** It ends in '/'; '' for the top. */
  parent: string;
  isOpen: boolean;
  onClose: () => void;
}) {
  const client = useQueryClient();
  const create = useMutation({
    mutationFn: (name: string) =>
      call('POST /files/folder/:bucketID', {
        params: { bucketID: bucketId },
        body: { path: `${parent}${name}` },
      }),
    onSuccess: async (_, name) => {
      await client.invalidateQueries({ queryKey: filesKey(bucketId) });
      onClose();
      notify.success(`Folder ${truncate(name)} created.`);
    },
  });
  const close = () => {
    onClose();
    create.reset();
  };
  return (
    <Dialog
      open={isOpen}
      locked={create.isPending}
      title="New folder"
      text={
        <>
          It is created in{' '}
          {parent === '' ? 'the top folder' : <Subject>{parent.slice(0, -1)}</Subject>}.
        </>
      }
      onClose={close}
    >
      <FolderNameForm act="Create" sending={create} onCancel={close} onName={create.mutate} />
    </Dialog>
  );
}
