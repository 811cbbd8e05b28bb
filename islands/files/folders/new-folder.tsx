import FolderPlus from 'lucide-react/icons/folder-plus';
import { useState } from 'react';
import { Button } from '../../ui/form/button.tsx';
import { loadable, OnDemand } from '../../ui/on-demand.tsx';

const loadDialog = loadable(async () => (await import('./new-folder-dialog.tsx')).NewFolderDialog);

/** The button that creates a folder in the one that is shown, and its dialog. */
export function NewFolder({
  bucketId,
  parent,
}: {
  bucketId: string;
  /** It ends in '/'; '' for the top. */
  parent: string;
}) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setIsOpen(true)}>
        <FolderPlus size={16} aria-hidden />
        New folder
      </Button>
      <OnDemand
        load={loadDialog}
        isOpen={isOpen}
        props={{ bucketId, parent, isOpen, onClose: () => setIsOpen(false) }}
      />
    </>
  );
}
