import Copy from 'lucide-react/icons/copy';
import FolderDown from 'lucide-react/icons/folder-down';
import FolderInput from 'lucide-react/icons/folder-input';
import Pencil from 'lucide-react/icons/pencil';
import Trash from 'lucide-react/icons/trash-2';
import { type KeyboardEvent, type MouseEvent, type Ref, useRef } from 'react';
import type { FileWire } from '../../../server/contract/wire.ts';
import { Menu, type MenuHandle, MenuItem } from '../../ui/menu/menu.tsx';
import { baseName } from '../moves/paths.ts';
import { isRowControl } from '../selection/use-selection.ts';

/** What is to be done with a folder, whose path ends in '/'. */
export type FolderChange = {
  action: 'rename' | 'move' | 'copy' | 'zip' | 'delete';
  folder: string;
};

/** What can be done with a folder in a list. */
export type FolderActions = {
  /** Moves files that were dropped on it. */
  onDropFiles: (files: FileWire[], folder: string) => void;
  onFolderChange: (change: FolderChange) => void;
};

type Props = { folder: string } & Pick<FolderActions, 'onFolderChange'>;

/** The actions on a folder. The Tab key skips a menu without `isStop`. */
export const FolderMenu = ({
  ref,
  folder,
  isStop,
  onFolderChange,
}: Props & { ref: Ref<MenuHandle>; isStop: boolean }) => (
  <Menu ref={ref} label={`Actions for ${baseName(folder)}`} isStop={isStop}>
    <MenuItem onSelect={() => onFolderChange({ action: 'rename', folder })}>
      <Pencil size={16} aria-hidden />
      Rename
    </MenuItem>
    <MenuItem onSelect={() => onFolderChange({ action: 'move', folder })}>
      <FolderInput size={16} aria-hidden />
      Move
    </MenuItem>
    <MenuItem onSelect={() => onFolderChange({ action: 'copy', folder })}>
      <Copy size={16} aria-hidden />
      Copy to…
    </MenuItem>
    <MenuItem onSelect={() => onFolderChange({ action: 'zip', folder })}>
      <FolderDown size={16} aria-hidden />
      Download as ZIP
    </MenuItem>
    <MenuItem danger onSelect={() => onFolderChange({ action: 'delete', folder })}>
      <Trash size={16} aria-hidden />
      Delete
    </MenuItem>
  </Menu>
);

/** Returns what a row or a card of a folder needs for its menu and for the keys that a file's row has, too. */
export function useFolderMenu({ folder, onFolderChange }: Props) {
  const menu = useRef<MenuHandle>(null);
  const row = {
    'data-context-menu': true,
    onContextMenu: (event: MouseEvent) => menu.current?.openBy(event),
    onKeyDown: (event: KeyboardEvent) => {
      if (!isRowControl(event.target)) return;
      if (event.key === 'F2') onFolderChange({ action: 'rename', folder });
      else if (event.key === 'Delete') onFolderChange({ action: 'delete', folder });
      else return;
      event.preventDefault();
    },
  };
  return { menu, row };
}
