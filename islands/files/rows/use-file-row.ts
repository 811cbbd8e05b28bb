import { type KeyboardEvent, type MouseEvent, useRef } from 'react';
import type { MenuHandle } from '../../ui/menu/menu.tsx';
import { dragOf } from '../moves/drag.ts';
import { isRowControl } from '../selection/use-selection.ts';
import type { RowProps } from './file-row.tsx';

/** Returns the ref of a file's menu, and what its row and its card have alike: keys, dragging, and a right click. */
export function useFileRow({
  file,
  isSelected,
  selected,
  onRowKey,
  onRename,
  onDelete,
}: Pick<RowProps, 'file' | 'isSelected' | 'selected' | 'onRowKey' | 'onRename' | 'onDelete'>) {
  const menu = useRef<MenuHandle>(null);
  const files = selected ?? [file];
  const onKeyDown = (event: KeyboardEvent) => {
    if (onRowKey(event, file.id) || !isRowControl(event.target)) return;
    if (event.key === 'F2') onRename(file.id);
    else if (event.key === 'Delete') onDelete(files);
    else return;
    event.preventDefault();
  };
  const element = {
    'data-selected': isSelected || undefined,
    'data-context-menu': true,
    onKeyDown,
    onContextMenu: (event: MouseEvent) => menu.current?.openBy(event),
    ...dragOf(files),
  };
  return { menu, element };
}
