import { type KeyboardEvent, memo } from 'react';
import { formatBytes } from '../../../server/contract/units.ts';
import type { FileWire } from '../../../server/contract/wire.ts';
import { Time } from '../../ui/date/time.tsx';
import { FileStatusCell } from '../file-cells.tsx';
import { ACCESS, TYPES } from '../file-filters.tsx';
import { FileThumb } from '../file-picture.tsx';
import { SelectBox } from '../selection/select-box.tsx';
import { type FileActions, FileMenu } from './file-menu.tsx';
import { FileName } from './file-name.tsx';
import { useFileRow } from './use-file-row.ts';

const cell = 'md:px-2';
/** On a card, type and access control follow the size in the second line, separated by dots. */
const next = `${cell} max-md:text-quiet max-md:before:px-1.5 max-md:before:content-['·']`;

/** What a row or a card of a file gets. */
export type RowProps = {
  file: FileWire;
  row: number;
  isStop: boolean;
  bucketId: string;
  isSelected: boolean;
  /** Whether any file is selected. Cards have no checkbox before. */
  isSelecting: boolean;
  isRenamed: boolean;
  /** All selected files, if this is one of them. */
  selected: FileWire[] | null;
  onSelect: (id: string, isRange: boolean) => void;
  onRowKey: (event: KeyboardEvent, id: string) => boolean;
  /** Starts to rename a file, or ends it with null. */
  onRename: (id: string | null) => void;
} & FileActions;

/**
 * One file: a row of 40 px, or below 768 px a card of 88 px. The heights are fixed because the list is virtual. On
 * a card, `after` breaks the line before the status; a phone has no room for a date beside the place in the queue
 * or the reason of an error. `row` counts from 0. Tab reaches only the row with `isStop`; arrow keys reach the
 * others.
 */
export const FileRow = memo(function FileRow({
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
    <tr
      data-row={row}
      aria-rowindex={row + 2}
      {...element}
      className="group data-selected:bg-base-content/4 data-selected:shadow-[inset_2px_0_var(--color-primary)] focus-within:bg-base-content/4 hover:bg-base-content/4 max-md:relative max-md:flex max-md:h-22 max-md:flex-wrap max-md:content-center max-md:after:order-1 max-md:after:w-full max-md:border-base-300 max-md:pr-3 max-md:pl-17 max-md:not-first:border-t md:h-10 md:not-first:*:border-t md:*:border-base-300"
    >
      <td className="max-md:contents md:px-2" title={file.path}>
        <div className="flex items-center gap-2.5 max-md:contents">
          <div className="pointer-events-none relative flex items-center gap-2.5 max-md:absolute max-md:top-5.5 max-md:left-3">
            <SelectBox
              {...{ file, isStop, isSelected, onSelect }}
              // Below 1280 px it is over the picture, to leave the name its room.
              className={`pointer-events-auto shrink-0 max-xl:absolute max-xl:inset-0 max-xl:z-1 max-xl:m-auto max-xl:bg-base-100 ${isSelecting ? '' : 'max-xl:hidden md:max-xl:group-hover:inline-block'}`}
            />
            <FileThumb bucketId={rest.bucketId} file={file} />
          </div>
          <FileName
            file={file}
            bucketId={rest.bucketId}
            isStop={isStop}
            isRenamed={isRenamed}
            onDetails={rest.onDetails}
            onRename={onRename}
          />
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
        <FileMenu
          ref={menu}
          file={file}
          isStop={isStop}
          onRename={() => onRename(file.id)}
          onSelect={() => onSelect(file.id, false)}
          {...rest}
        />
      </td>
    </tr>
  );
});
