import type { ReactNode } from 'react';
import type { FileSort } from '../../server/contract/files/file-order.ts';
import type { FileWire } from '../../server/contract/wire.ts';
import { sortingHead } from '../ui/table/sort-button.tsx';
import { type Head, VirtualTable } from '../ui/table/virtual-table.tsx';
import { FolderRow } from './folders/folder-row.tsx';
import type { Folder } from './folders/use-folder.ts';
import type { FileActions } from './rows/file-menu.tsx';
import { FileRow } from './rows/file-row.tsx';
import { useFileRows } from './rows/use-file-rows.tsx';
import { nextSorting, type SortProps } from './sort-choice.tsx';

const HEADS: (Head & { sort?: FileSort })[] = [
  { label: 'Name', sort: 'name' },
  { label: 'Size', className: 'w-24 text-right', sort: 'size' },
  { label: 'File type', className: 'w-15 xl:w-22' },
  { label: 'Access control', className: 'w-17 xl:w-30' },
  { label: 'Status', className: 'w-36 xl:w-40' },
  { label: 'Created at', className: 'w-36 text-right', sort: 'date' },
];

/** What shows the rows of a list gets. */
export type ListTableProps = {
  rows: (FileWire | Folder)[];
  /** False while the server has more files than these. */
  isComplete: boolean;
  bucketId: string;
  onVisibleRows?: (rows: readonly [number, number]) => void;
  onFolder: (folder: string) => void;
  sorting: SortProps;
  children: ReactNode;
} & FileActions;

/**
 * The files of a bucket, and the folders beside them.
 * @param props.onVisibleRows called with the first and the last visible row
 * @param props.children what follows the last row
 */
export function FileTable({
  rows,
  isComplete,
  onVisibleRows,
  onFolder,
  sorting,
  children,
  bucketId,
  ...actions
}: ListTableProps) {
  const { bar, propsOf } = useFileRows({ rows, bucketId, actions });
  return (
    <div className="relative">
      {bar}
      <VirtualTable
        label="Files in this bucket"
        heads={HEADS.map((one) => toHead(one, sorting))}
        rows={rows}
        isComplete={isComplete}
        {...(onVisibleRows && { onVisibleRows })}
        renderRow={(row, index, isStop) =>
          'folder' in row ? (
            <FolderRow
              row={row}
              index={index}
              isStop={isStop}
              onFolder={onFolder}
              onDropFiles={actions.onDropFiles}
              onFolderChange={actions.onFolderChange}
            />
          ) : (
            <FileRow row={index} isStop={isStop} {...propsOf(row)} />
          )
        }
      >
        {children}
      </VirtualTable>
    </div>
  );
}

function toHead({ sort, ...head }: (typeof HEADS)[number], sorting: SortProps): Head {
  if (!sort) return head;
  const order = sort === sorting.sort ? sorting.order : undefined;
  const onSort = () => sorting.onSort(nextSorting(sorting, sort));
  return sortingHead(head, { order, isRight: sort !== 'name', onSort });
}
