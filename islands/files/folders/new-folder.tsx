import { useMutation, useQueryClient } from '@tanstack/react-query';
import FolderPlus from 'lucide-react/icons/folder-plus';
import { useState } from 'react';
import { truncate } from '../../../server/contract/units.ts';
import { call } from '../../runtime/api.ts';
import { notify } from '../../runtime/notify.ts';
import { Dialog, Subject } from '../../ui/dialog/dialog.tsx';
import { Button } from '../../ui/form/button.tsx';
import { filesKey } from '../../uploads/shared.ts';
import { FolderNameForm } from './folder-name-form.tsx';

/** The button that creates a folder in the one that is shown, and its dialog. */
export function NewFolder({
  bucketId,
  parent,
}: {
  bucketId: string;
  /** It ends in '/'; '' for the top. */
  parent: string;
}) {
  const client = useQueryClient();
  const [isOpen, setIsOpen] = useState(false);
  const create = useMutation({
    mutationFn: (name: string) =>
      call('POST /files/folder/:bucketID', {
        params: { bucketID: bucketId },
        body: { path: `${parent}${name}` },
      }),
    onSuccess: async (_, name) => {
      await client.invalidateQueries({ queryKey: filesKey(bucketId) });
      setIsOpen(false);
      notify.success(`Folder ${truncate(name)} created.`);
    },
  });
  const close = () => {
    setIsOpen(false);
    create.reset();
  };
  return (
    <>
      <Button onClick={() => setIsOpen(true)}>
        <FolderPlus size={16} aria-hidden />
        New folder
      </Button>
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
    </>
  );
}
