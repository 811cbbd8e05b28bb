import FolderIcon from 'lucide-react/icons/folder';
import { type KeyboardEvent, memo, type ReactNode, useRef } from 'react';
import { formatBytes, truncate } from '../../../server/contract/units.ts';
import type { FileWire } from '../../../server/contract/wire.ts';
import type { MenuHandle } from '../../ui/menu/menu.tsx';
import { FileThumb } from '../file-picture.tsx';
import { folderLink } from '../folders/folder-link.ts';
import type { Folder } from '../folders/use-folder.ts';
import { dragOf, dropOn } from '../moves/drag.ts';
import { baseName } from '../moves/paths.ts';
import { type FileActions, FileMenu } from '../rows/file-menu.tsx';
import { FileName } from '../rows/file-name.tsx';
import type { RowProps } from '../rows/file-row.tsx';
import { isRowControl } from '../selection/use-selection.ts';

const card =
  'group relative flex h-42 flex-col items-center rounded-md border border-base-300 px-2 pt-3 focus-within:bg-base-content/4 hover:bg-base-content/4';

/** A folder in the grid. */
export const FolderCard = ({
  row,
  index,
  isStop,
  onFolder,
  onDropFiles,
}: {
  row: Folder;
  index: number;
  isStop: boolean;
  onFolder: (folder: string) => void;
} & Pick<FileActions, 'onDropFiles'>) => (
  <li
    data-card={index}
    className={`${card} data-over:border-primary`}
    title={baseName(row.folder)}
    {...dropOn(row.folder, onDropFiles)}
  >
    <Picture>
      <FolderIcon size={40} aria-hidden className="text-primary" />
    </Picture>
    <a
      {...folderLink(row.folder, onFolder)}
      tabIndex={isStop ? undefined : -1}
      className="mt-2 block max-w-full truncate font-medium after:absolute after:inset-0 hover:underline"
    >
      {truncate(baseName(row.folder))}
    </a>
  </li>
);

const Picture = ({ children }: { children: ReactNode }) => (
  <span className="pointer-events-none grid size-24 shrink-0 place-items-center">{children}</span>
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
  const menu = useRef<MenuHandle>(null);
  const onKeyDown = (event: KeyboardEvent) => {
    if (onRowKey(event, file.id) || !isRowControl(event.target)) return;
    if (event.key === 'F2') onRename(file.id);
    else if (event.key === 'Delete') rest.onDelete(selected ?? [file]);
    else return;
    event.preventDefault();
  };
  return (
    <li
      data-card={row}
      data-selected={isSelected || undefined}
      data-context-menu
      title={file.path}
      onKeyDown={onKeyDown}
      {...dragOf(selected ?? [file])}
      onContextMenu={(event) => menu.current?.openBy(event)}
      className={`${card} data-selected:border-primary data-selected:bg-base-content/4`}
    >
      <Picture>
        <FileThumb bucketId={rest.bucketId} file={file} isLarge />
      </Picture>
      <div className="mt-2 flex w-full min-w-0 justify-center">
        <FileName
          file={file}
          bucketId={rest.bucketId}
          isStop={isStop}
          isRenamed={isRenamed}
          isCard
          onDetails={rest.onDetails}
          onRename={onRename}
        />
      </div>
      <p className="numbers max-w-full truncate text-xs text-quiet">{stateOf(file)}</p>
      <input
        type="checkbox"
        tabIndex={isStop ? undefined : -1}
        aria-label={`Select ${file.name}`}
        className={`checkbox checkbox-sm absolute top-2 left-2 bg-base-100 ${isSelecting ? '' : 'pointer-coarse:hidden'}`}
        checked={isSelected}
        onChange={({ nativeEvent }) =>
          onSelect(file.id, nativeEvent instanceof PointerEvent && nativeEvent.shiftKey)
        }
      />
      <div className="absolute top-1 right-1">
        <FileMenu
          ref={menu}
          file={file}
          isStop={isStop}
          onRename={() => onRename(file.id)}
          onSelect={() => onSelect(file.id, false)}
          {...rest}
        />
      </div>
    </li>
  );
});

function stateOf({ status, size, progress, queue_position }: FileWire): string {
  if (status === 'success') return formatBytes(size);
  if (status === 'error') return 'Error';
  return queue_position ? 'Queued' : `Processing ${progress} %`;
}
