import CodeXml from 'lucide-react/icons/code-xml';
import Copy from 'lucide-react/icons/copy';
import Download from 'lucide-react/icons/download';
import ExternalLink from 'lucide-react/icons/external-link';
import FolderInput from 'lucide-react/icons/folder-input';
import Link from 'lucide-react/icons/link';
import PanelRight from 'lucide-react/icons/panel-right';
import Pencil from 'lucide-react/icons/pencil';
import RotateCcw from 'lucide-react/icons/rotate-ccw';
import SquareCheck from 'lucide-react/icons/square-check';
import Trash from 'lucide-react/icons/trash-2';
import type { Ref } from 'react';
import type { FileWire } from '../../../server/contract/wire.ts';
import {
  copyShared,
  downloadShared,
  embedSnippet,
  loadFileToken,
  openShared,
  shareUrl,
} from '../../file-urls/shared.ts';
import { Menu, type MenuHandle, MenuItem } from '../../ui/menu/menu.tsx';
import type { FolderActions } from '../folders/folder-menu.tsx';

/** The actions of a row that the page carries out. */
export type FileActions = FolderActions & {
  onDetails: (file: FileWire) => void;
  onRetry: (file: FileWire) => void;
  onMove: (files: FileWire[]) => void;
  onZip: (files: FileWire[]) => void;
  onCopy: (files: FileWire[]) => void;
  onDelete: (files: FileWire[]) => void;
};

/** What else can be done with a row. */
type RowActions = { onRename: () => void; onSelect: () => void };

/** The actions on a file. The Tab key skips a menu without `isStop`. */
export function FileMenu({
  ref,
  file,
  bucketId,
  isStop,
  onDetails,
  onRetry,
  onRename,
  onSelect,
  onMove,
  onCopy,
  onDelete,
}: { ref?: Ref<MenuHandle>; file: FileWire; bucketId: string; isStop: boolean } & FileActions &
  RowActions) {
  const loadToken = () => loadFileToken(bucketId, file.id);
  return (
    <Menu ref={ref} label={`Actions for ${file.name}`} isStop={isStop}>
      <MenuItem onSelect={() => onDetails(file)}>
        <PanelRight size={16} aria-hidden />
        Details
      </MenuItem>
      <MenuItem onSelect={() => openShared(file, loadToken)}>
        <ExternalLink size={16} aria-hidden />
        Open
      </MenuItem>
      {file.file_type !== 'video' && (
        <MenuItem onSelect={() => downloadShared(file, loadToken)}>
          <Download size={16} aria-hidden />
          Download
        </MenuItem>
      )}
      <MenuItem onSelect={() => copyShared(file, shareUrl, loadToken)}>
        <Link size={16} aria-hidden />
        Copy URL
      </MenuItem>
      {file.file_type === 'video' && (
        <MenuItem onSelect={() => copyShared(file, embedSnippet, loadToken)}>
          <CodeXml size={16} aria-hidden />
          Copy embed
        </MenuItem>
      )}
      {file.retry_until !== null && (
        <MenuItem onSelect={() => onRetry(file)}>
          <RotateCcw size={16} aria-hidden />
          Retry
        </MenuItem>
      )}
      <MenuItem onSelect={onRename}>
        <Pencil size={16} aria-hidden />
        Rename
      </MenuItem>
      <MenuItem onSelect={() => onMove([file])}>
        <FolderInput size={16} aria-hidden />
        Move
      </MenuItem>
      <MenuItem onSelect={() => onCopy([file])}>
        <Copy size={16} aria-hidden />
        Copy to…
      </MenuItem>
      <MenuItem onSelect={onSelect}>
        <SquareCheck size={16} aria-hidden />
        Select
      </MenuItem>
      <MenuItem danger onSelect={() => onDelete([file])}>
        <Trash size={16} aria-hidden />
        Delete
      </MenuItem>
    </Menu>
  );
}
