import Copy from 'lucide-react/icons/copy';
import FolderDown from 'lucide-react/icons/folder-down';
import FolderInput from 'lucide-react/icons/folder-input';
import Globe from 'lucide-react/icons/globe';
import Lock from 'lucide-react/icons/lock';
import Trash from 'lucide-react/icons/trash-2';
import type { FileWire } from '../../../server/contract/wire.ts';
import { Button } from '../../ui/form/button.tsx';
import { Menu, MenuItem } from '../../ui/menu/menu.tsx';
import { SelectionToolbar } from './selection-toolbar.tsx';
import { useAccess } from './use-access.ts';

/** What can be done with the selected files of a list. */
export function SelectionBar({
  bucketId,
  files,
  onMove,
  onZip,
  onCopy,
  onDelete,
  onClear,
}: {
  bucketId: string;
  files: FileWire[];
  onMove: (files: FileWire[]) => void;
  onZip: (files: FileWire[]) => void;
  onCopy: (files: FileWire[]) => void;
  onDelete: (files: FileWire[]) => void;
  onClear: () => void;
}) {
  const setAccess = useAccess(bucketId);
  return (
    <SelectionToolbar files={files} onClear={onClear}>
      <Menu label="More actions for the selected files">
        <MenuItem onSelect={() => onZip(files)}>
          <FolderDown size={16} aria-hidden />
          Download as ZIP
        </MenuItem>
        <MenuItem onSelect={() => onCopy(files)}>
          <Copy size={16} aria-hidden />
          Copy to…
        </MenuItem>
        <MenuItem onSelect={() => setAccess.mutate({ files, access: 'public' })}>
          <Globe size={16} aria-hidden />
          Make public
        </MenuItem>
        <MenuItem onSelect={() => setAccess.mutate({ files, access: 'private' })}>
          <Lock size={16} aria-hidden />
          Make private
        </MenuItem>
      </Menu>
      <Button className="btn-ghost btn-sm" onClick={() => onMove(files)}>
        <FolderInput size={16} aria-hidden />
        Move
      </Button>
      <Button className="btn-ghost btn-sm text-error" onClick={() => onDelete(files)}>
        <Trash size={16} aria-hidden />
        Delete
      </Button>
    </SelectionToolbar>
  );
}
