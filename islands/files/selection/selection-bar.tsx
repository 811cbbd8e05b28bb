import Copy from 'lucide-react/icons/copy';
import FolderDown from 'lucide-react/icons/folder-down';
import FolderInput from 'lucide-react/icons/folder-input';
import Globe from 'lucide-react/icons/globe';
import Lock from 'lucide-react/icons/lock';
import Trash from 'lucide-react/icons/trash-2';
import X from 'lucide-react/icons/x';
import { formatBytes } from '../../../server/contract/units.ts';
import type { FileWire } from '../../../server/contract/wire.ts';
import { Button } from '../../ui/form/button.tsx';
import { Menu, MenuItem } from '../../ui/menu/menu.tsx';
import { useAccess } from './use-access.ts';

/**
 * What can be done with the selected files. It is above the head of the table, or on narrow screens at the bottom of
 * the window, so that no row moves.
 */
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
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  return (
    <div
      role="toolbar"
      aria-label="Selected files"
      className="absolute inset-x-px top-px z-20 flex h-10 items-center gap-1 rounded-t-lg border-b border-base-300 bg-base-200 px-2 max-md:fixed max-md:inset-x-3 max-md:top-auto max-md:bottom-3 max-md:h-14 max-md:rounded-lg max-md:border max-md:shadow-2xl"
    >
      <Button
        className="btn-ghost btn-square btn-sm"
        aria-label="Clear selection"
        onClick={onClear}
      >
        <X size={16} aria-hidden />
      </Button>
      <p className="numbers mr-auto min-w-0 truncate font-medium" role="status">
        {files.length} selected{' '}
        <span className="font-normal text-quiet max-[26rem]:hidden">{formatBytes(bytes)}</span>
      </p>
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
    </div>
  );
}
