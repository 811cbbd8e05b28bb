import CodeXml from 'lucide-react/icons/code-xml';
import ExternalLink from 'lucide-react/icons/external-link';
import Link from 'lucide-react/icons/link';
import PanelRight from 'lucide-react/icons/panel-right';
import RotateCcw from 'lucide-react/icons/rotate-ccw';
import Trash from 'lucide-react/icons/trash-2';
import { memo, type ReactNode, type Ref, useRef } from 'react';
import type { FileSort } from '../../server/contract/files/file-order.ts';
import { formatBytes, truncate } from '../../server/contract/units.ts';
import type { FileWire } from '../../server/contract/wire.ts';
import { Time } from '../ui/date/time.tsx';
import { Menu, type MenuHandle, MenuItem } from '../ui/menu/menu.tsx';
import { type Head, VirtualTable } from '../ui/table/virtual-table.tsx';
import { FileStatusCell } from './file-cells.tsx';
import { ACCESS, TYPES } from './file-filters.tsx';
import { FileThumb } from './file-picture.tsx';
import { embedSnippet, shareUrl } from './file-url.ts';
import { FolderRow } from './folders/folder-row.tsx';
import type { Folder } from './folders/use-folder.ts';
import { copyShared, loadFileToken, openShared } from './share-file.ts';
import { SortButton, type SortProps } from './sort-choice.tsx';

const HEADS: (Head & { sort?: FileSort })[] = [
  { label: 'Name', sort: 'name' },
  { label: 'Size', className: 'w-24 text-right', sort: 'size' },
  { label: 'File type', className: 'w-15 xl:w-22' },
  { label: 'Access control', className: 'w-17 xl:w-30' },
  { label: 'Status', className: 'w-36 xl:w-40' },
  { label: 'Created at', className: 'w-36 text-right', sort: 'date' },
];

const cell = 'md:px-2';
/**
 * On a card, `after` breaks the line before the status. A phone has no room for a date beside the place in the
 * queue or the reason of an error.
 */
/** On a card, type and access control follow the size in the second line, separated by dots. */
const next = `${cell} max-md:text-quiet max-md:before:px-1.5 max-md:before:content-['·']`;

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
  ...rest
}: {
  rows: (FileWire | Folder)[];
  /** False while the server has more files than these. */
  isComplete: boolean;
  bucketId: string;
  onVisibleRows?: (rows: readonly [number, number]) => void;
  onFolder: (folder: string) => void;
  sorting: SortProps;
  children: ReactNode;
} & FileActions) {
  return (
    <VirtualTable
      label="Files in this bucket"
      heads={HEADS.map((one) => toHead(one, sorting))}
      rows={rows}
      isComplete={isComplete}
      {...(onVisibleRows && { onVisibleRows })}
      renderRow={(row, index, isStop) =>
        'folder' in row ? (
          <FolderRow row={row} index={index} isStop={isStop} onFolder={onFolder} />
        ) : (
          <FileRow file={row} row={index} isStop={isStop} {...rest} />
        )
      }
    >
      {children}
    </VirtualTable>
  );
}

function toHead({ sort, ...head }: (typeof HEADS)[number], sorting: SortProps): Head {
  if (!sort) return head;
  const sorted = sorting.order === 'asc' ? 'ascending' : 'descending';
  return {
    ...head,
    button: <SortButton {...sorting} by={sort} label={head.label} />,
    sorted: sort === sorting.sort ? sorted : undefined,
  };
}

/**
 * One file: a row of 40 px, or below 768 px a card of 88 px. The heights are fixed because the list is
 * virtual. `row` counts from 0. Tab reaches only the row with `isStop`; arrow keys reach the others.
 */
const FileRow = memo(function FileRow({
  file,
  row,
  isStop,
  ...rest
}: { file: FileWire; row: number; isStop: boolean; bucketId: string } & FileActions) {
  const menu = useRef<MenuHandle>(null);
  return (
    <tr
      data-row={row}
      aria-rowindex={row + 2}
      data-context-menu
      onContextMenu={(event) => menu.current?.openBy(event)}
      className="focus-within:bg-base-content/4 hover:bg-base-content/4 max-md:relative max-md:flex max-md:h-22 max-md:flex-wrap max-md:content-center max-md:after:order-1 max-md:after:w-full max-md:border-base-300 max-md:pr-3 max-md:pl-17 max-md:not-first:border-t md:h-10 md:not-first:*:border-t md:*:border-base-300"
    >
      <td className="max-md:contents md:px-2" title={file.path}>
        <div className="flex items-center gap-2.5 max-md:contents">
          <div className="pointer-events-none max-md:absolute max-md:top-5.5 max-md:left-3">
            <FileThumb bucketId={rest.bucketId} file={file} />
          </div>
          <a
            href={`?file=${file.id}`}
            tabIndex={isStop ? undefined : -1}
            className="block min-w-0 truncate font-medium hover:underline max-md:w-full max-md:pr-9 max-md:after:absolute max-md:after:inset-0"
            onClick={(event) => {
              if (event.ctrlKey || event.metaKey || event.shiftKey) return;
              event.preventDefault();
              rest.onDetails(file);
            }}
          >
            {truncate(file.name)}
          </a>
        </div>
      </td>
      <td className={`${cell} numbers whitespace-nowrap max-md:text-quiet md:text-right`}>
        {formatBytes(file.size)}
      </td>
      <td className={next}>{TYPES[file.file_type]}</td>
      <td className={next}>{ACCESS[file.access]}</td>
      <td className={`${cell} max-md:order-2 max-md:min-w-0 max-md:pr-3`}>
        <FileStatusCell file={file} short />
      </td>
      <td
        className={`${cell} max-md:order-2 max-md:ml-auto max-md:text-quiet md:text-right ${file.status === 'success' ? '' : 'max-[30rem]:hidden'}`}
      >
        <Time iso={file.date} withTime />
      </td>
      <td className="max-md:absolute max-md:top-1 max-md:right-1 max-md:z-1 md:px-1.5 md:text-right">
        <FileMenu ref={menu} file={file} isStop={isStop} {...rest} />
      </td>
    </tr>
  );
});

/** The actions of a row that the page carries out. */
export type FileActions = {
  onDetails: (file: FileWire) => void;
  onRetry: (file: FileWire) => void;
  onDelete: (file: FileWire) => void;
};

/** The actions on a file. The Tab key skips a menu without `isStop`. */
function FileMenu({
  ref,
  file,
  bucketId,
  isStop,
  onDetails,
  onRetry,
  onDelete,
}: { ref?: Ref<MenuHandle>; file: FileWire; bucketId: string; isStop: boolean } & FileActions) {
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
      <MenuItem danger onSelect={() => onDelete(file)}>
        <Trash size={16} aria-hidden />
        Delete
      </MenuItem>
    </Menu>
  );
}
