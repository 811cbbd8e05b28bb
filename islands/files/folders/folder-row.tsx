import FolderIcon from 'lucide-react/icons/folder';
import { truncate } from '../../../server/contract/units.ts';
import { dropOn } from '../moves/drag.ts';
import { baseName } from '../moves/paths.ts';
import { folderLink } from './folder-link.ts';
import { type FolderActions, FolderMenu, useFolderMenu } from './folder-menu.tsx';
import type { Folder } from './use-folder.ts';

/** What a row or a card of a folder gets. */
export type FolderRowProps = {
  row: Folder;
  /** The index of the row, from 0. */
  index: number;
  isStop: boolean;
  onFolder: (folder: string) => void;
} & FolderActions;

/** A folder in the table of files. It is as high as the row of a file. */
export function FolderRow({
  row,
  index,
  isStop,
  onFolder,
  onDropFiles,
  onFolderChange,
}: FolderRowProps) {
  const menu = useFolderMenu({ folder: row.folder, onFolderChange });
  const name = baseName(row.folder);
  return (
    <tr
      data-row={index}
      aria-rowindex={index + 2}
      {...menu.row}
      {...dropOn(row.folder, onDropFiles)}
      className="data-over:shadow-[inset_0_0_0_2px_var(--color-primary)] focus-within:bg-base-content/4 hover:bg-base-content/4 max-md:relative max-md:flex max-md:h-22 max-md:items-center max-md:border-base-300 max-md:px-3 max-md:not-first:border-t md:h-10 md:not-first:*:border-t md:*:border-base-300"
    >
      <td colSpan={6} className="min-w-0 max-md:contents md:px-2" title={name}>
        <div className="flex min-w-0 items-center gap-2.5 max-md:pr-9">
          <span
            aria-hidden
            className="grid size-8 shrink-0 place-items-center rounded-sm bg-base-300 text-primary max-md:size-11"
          >
            <FolderIcon size={16} />
          </span>
          <a
            {...folderLink(row.folder, onFolder)}
            tabIndex={isStop ? undefined : -1}
            className="block min-w-0 truncate font-medium hover:underline max-md:after:absolute max-md:after:inset-0"
          >
            {truncate(name)}
          </a>
        </div>
      </td>
      <td className="max-md:absolute max-md:inset-y-0 max-md:right-1 max-md:z-1 max-md:flex max-md:items-center md:px-1.5 md:text-right">
        <FolderMenu
          ref={menu.menu}
          folder={row.folder}
          isStop={isStop}
          onFolderChange={onFolderChange}
        />
      </td>
    </tr>
  );
}
