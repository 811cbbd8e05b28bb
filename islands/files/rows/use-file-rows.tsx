import { type ReactNode, useState } from 'react';
import type { FileWire } from '../../../server/contract/wire.ts';
import type { Folder } from '../folders/use-folder.ts';
import { SelectionBar } from '../selection/selection-bar.tsx';
import { useSelection } from '../selection/use-selection.ts';
import type { FileActions } from './file-menu.tsx';
import type { RowProps } from './file-row.tsx';

type Rows = {
  /** What can be done with the selected files, above the list; false where none are. */
  bar: ReactNode;
  /** Returns what the row or the card of a file gets, but for its place in the list. */
  propsOf: (file: FileWire) => Omit<RowProps, 'row' | 'isStop'>;
};

/**
 * Returns what a list of files has in a table and in a grid: which files are selected, and which is being renamed.
 * @param props.columns how many files are side by side
 */
export function useFileRows({
  rows,
  columns,
  bucketId,
  actions,
}: {
  rows: (FileWire | Folder)[];
  columns?: number;
  bucketId: string;
  actions: FileActions;
}): Rows {
  const { ids, selected, select, clear, onRowKey } = useSelection(rows, columns);
  const [renamed, setRenamed] = useState<string | null>(null);
  const bar = selected.length > 0 && (
    <SelectionBar
      bucketId={bucketId}
      files={selected}
      onMove={actions.onMove}
      onZip={actions.onZip}
      onCopy={actions.onCopy}
      onDelete={actions.onDelete}
      onClear={clear}
    />
  );
  const propsOf = (file: FileWire) => ({
    file,
    bucketId,
    isSelected: ids.has(file.id),
    isSelecting: selected.length > 0,
    isRenamed: file.id === renamed,
    selected: ids.has(file.id) ? selected : null,
    onSelect: select,
    onRowKey,
    onRename: setRenamed,
    ...actions,
  });
  return { bar, propsOf };
}
