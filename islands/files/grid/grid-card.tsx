import FolderIcon from 'lucide-react/icons/folder';
import { memo, type ReactNode } from 'react';
import { formatBytes, truncate } from '../../../server/contract/units.ts';
import type { FileWire } from '../../../server/contract/wire.ts';
import { FileThumb } from '../file-picture.tsx';
import { folderLink } from '../folders/folder-link.ts';
import { FolderMenu, useFolderMenu } from '../folders/folder-menu.tsx';
import type { FolderRowProps } from '../folders/folder-row.tsx';
import { dropOn } from '../moves/drag.ts';
import { baseName } from '../moves/paths.ts';
import { FileMenu } from '../rows/file-menu.tsx';
import { FileName } from '../rows/file-name.tsx';
import type { RowProps } from '../rows/file-row.tsx';
import { useFileRow } from '../rows/use-file-row.ts';
import { SelectBox } from '../selection/select-box.tsx';

const card =
  'group relative flex h-42 flex-col rounded-md border border-base-300 focus-within:bg-base-content/4 hover:bg-base-content/4';

/** A folder in the grid. */
export function FolderCard({
  row,
  index,
  isStop,
  onFolder,
  onDropFiles,
  onFolderChange,
}: FolderRowProps) {
  const menu = useFolderMenu({ folder: row.folder, onFolderChange });
  return (
    <li
      data-card={index}
      className={`${card} data-over:border-primary`}
      title={baseName(row.folder)}
      {...menu.row}
      {...dropOn(row.folder, onDropFiles)}
    >
      <Picture>
        <FolderIcon size={48} aria-hidden className="text-primary" />
      </Picture>
      <div className={foot}>
        <a
          {...folderLink(row.folder, onFolder)}
          tabIndex={isStop ? undefined : -1}
          className="block min-w-0 grow truncate font-medium after:absolute after:inset-0 hover:underline"
        >
          {truncate(baseName(row.folder))}
        </a>
        <div className="relative">
          <FolderMenu
            ref={menu.menu}
            folder={row.folder}
            isStop={isStop}
            onFolderChange={onFolderChange}
          />
        </div>
      </div>
    </li>
  );
}

/** What is below the picture: the name, and the menu at the right. */
const foot = 'flex min-h-0 w-full grow items-center gap-1 pr-1 pl-2';

const Picture = ({ children }: { children: ReactNode }) => (
  <span className="pointer-events-none grid h-28 w-full shrink-0 place-items-center overflow-hidden rounded-t-[5px]">
    {children}
  </span>
);

/** A file in the grid, with the same keys, menu and box as its row in the table. */
export const FileCard = memo(function FileCard({
  file,
  row,
  isStop,
  isSelected,
  isSelecting,
  isRenamed,
  selected,
  onSelect,
  onRowKey,
  onRename,
  ...rest
}: RowProps) {
  const { onDelete } = rest;
  const { menu, element } = useFileRow({
    ...{ file, isSelected, selected, onRowKey, onRename, onDelete },
  });
  return (
    <li
      data-card={row}
      title={file.path}
      {...element}
      className={`${card} data-selected:border-primary data-selected:bg-base-content/4`}
    >
      <Picture>
        <FileThumb bucketId={rest.bucketId} file={file} isLarge />
      </Picture>
      <div className={foot}>
        <div className="flex min-w-0 grow flex-col">
          <FileName
            file={file}
            bucketId={rest.bucketId}
            isStop={isStop}
            isRenamed={isRenamed}
            isCard
            onDetails={rest.onDetails}
            onRename={onRename}
          />
          {!isRenamed && <p className="numbers truncate text-xs text-quiet">{stateOf(file)}</p>}
        </div>
        <div className={`relative ${isRenamed ? 'hidden' : ''}`}>
          <FileMenu
            ref={menu}
            file={file}
            isStop={isStop}
            onRename={() => onRename(file.id)}
            onSelect={() => onSelect(file.id, false)}
            {...rest}
          />
        </div>
      </div>
      <SelectBox
        {...{ file, isStop, isSelected, onSelect }}
        className={`absolute top-2 left-2 bg-base-100 ${isSelecting ? '' : 'pointer-coarse:hidden pointer-fine:opacity-0 pointer-fine:group-focus-within:opacity-100 pointer-fine:group-hover:opacity-100'}`}
      />
    </li>
  );
});

function stateOf({ status, size, progress, queue_position }: FileWire): string {
  if (status === 'success') return formatBytes(size);
  if (status === 'error') return 'Error';
  return queue_position ? 'Queued' : `Processing ${progress}%`;
}
