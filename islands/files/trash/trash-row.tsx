import RotateCcw from 'lucide-react/icons/rotate-ccw';
import Trash from 'lucide-react/icons/trash-2';
import { type KeyboardEvent, memo, useRef } from 'react';
import { formatBytes } from '../../../server/contract/units.ts';
import type { RemovedFileWire } from '../../../server/contract/wire.ts';
import { Time } from '../../ui/date/time.tsx';
import { Button } from '../../ui/form/button.tsx';
import { Menu, type MenuHandle, MenuItem } from '../../ui/menu/menu.tsx';
import { SelectBox } from '../selection/select-box.tsx';
import { isRowControl } from '../selection/use-selection.ts';

const cell = 'md:px-2 md:text-right max-md:text-quiet';
/** On a card, the dates follow the size in the second line, separated by dots. */
const next = `${cell} max-md:before:px-1.5 max-md:before:content-['·']`;

/**
 * One file of the trash: a row of 40 px, or below 768 px a card of 88 px, as the list is virtual. `row` counts from 0.
 * Keys on its box are those of the list of files.
 */
export const TrashRow = memo(function TrashRow({
  file,
  row,
  isStop,
  isSelected,
  selected,
  isChanging,
  onSelect,
  onRowKey,
  onRestore,
  onPurge,
}: {
  file: RemovedFileWire;
  row: number;
  isStop: boolean;
  isSelected: boolean;
  /** All selected files, if this is one of them. */
  selected: RemovedFileWire[] | null;
  isChanging: boolean;
  onSelect: (id: string, isRange: boolean) => void;
  onRowKey: (event: KeyboardEvent, id: string) => boolean;
  onRestore: (files: RemovedFileWire[]) => void;
  onPurge: (files: RemovedFileWire[]) => void;
}) {
  const menu = useRef<MenuHandle>(null);
  const { id, path, size, removed_at, delete_at } = file;
  return (
    <tr
      data-row={row}
      aria-rowindex={row + 2}
      data-selected={isSelected || undefined}
      data-context-menu
      className="data-selected:bg-base-content/4 data-selected:shadow-[inset_2px_0_var(--color-primary)] focus-within:bg-base-content/4 hover:bg-base-content/4 max-md:relative max-md:flex max-md:h-22 max-md:flex-wrap max-md:content-center max-md:gap-y-1 max-md:border-base-300 max-md:pr-3 max-md:pl-12 max-md:not-first:border-t md:h-10 md:not-first:*:border-t md:*:border-base-300"
      onContextMenu={(event) => menu.current?.openBy(event)}
      onKeyDown={(event) => {
        if (onRowKey(event, id) || !isRowControl(event.target) || event.key !== 'Delete') return;
        event.preventDefault();
        onPurge(selected ?? [file]);
      }}
    >
      <td className="max-md:absolute max-md:inset-y-0 max-md:left-3 max-md:flex max-md:items-center md:px-2">
        <SelectBox
          file={{ id, name: path }}
          {...{ isStop, isSelected, onSelect }}
          className="align-middle"
        />
      </td>
      <td className="truncate font-medium max-md:w-full max-md:pr-9 md:px-2" title={path}>
        {path}
      </td>
      <td className={`${cell} numbers whitespace-nowrap`}>{formatBytes(size)}</td>
      <td className={next}>
        <Time iso={removed_at} withTime />
      </td>
      <td className={`${next} max-[30rem]:hidden`}>{delete_at && <Time iso={delete_at} />}</td>
      <td className="max-md:hidden md:px-1.5">
        <Button
          className="btn-sm btn-ghost"
          tabIndex={isStop ? undefined : -1}
          aria-label={`Restore ${path}`}
          pending={isChanging}
          onClick={() => onRestore([file])}
        >
          Restore
        </Button>
      </td>
      <td className="max-md:absolute max-md:top-1 max-md:right-1 max-md:z-1 md:px-1.5 md:text-right">
        <Menu ref={menu} label={`Actions for ${path}`} isStop={isStop}>
          <MenuItem onSelect={() => onRestore([file])}>
            <RotateCcw size={16} aria-hidden />
            Restore
          </MenuItem>
          <MenuItem danger onSelect={() => onPurge([file])}>
            <Trash size={16} aria-hidden />
            Delete permanently
          </MenuItem>
        </Menu>
      </td>
    </tr>
  );
});
