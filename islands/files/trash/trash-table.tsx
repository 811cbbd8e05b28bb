import { type ReactNode, useMemo } from 'react';
import type { RemovedFileWire } from '../../../server/contract/wire.ts';
import { Button } from '../../ui/form/button.tsx';
import type { RowRange } from '../../ui/paging/pages.ts';
import { type Head, VirtualTable } from '../../ui/table/virtual-table.tsx';
import { SelectionToolbar } from '../selection/selection-toolbar.tsx';
import { useSelection } from '../selection/use-selection.ts';
import { TrashRow } from './trash-row.tsx';
import type { TrashChange } from './use-trash.ts';

const HEADS: Head[] = [
  { label: 'Path' },
  { label: 'Size', className: 'w-24 text-right' },
  { label: 'Deleted at', className: 'w-37 text-right' },
  { label: 'Kept until', className: 'w-32 text-right' },
  { label: 'Restore', className: 'w-24', isHidden: true },
];

/**
 * The deleted files as a table, or as cards on narrow screens, with the keys of the list of files.
 * @param props.changing what is being restored or deleted, null where nothing is
 * @param props.children what follows the last row
 */
export function TrashTable({
  rows,
  isComplete,
  onVisibleRows,
  changing,
  onRestore,
  onPurge,
  children,
}: {
  rows: RemovedFileWire[];
  /** False while the server has more files than these. */
  isComplete: boolean;
  /** Called with the first and the last row that can be seen. */
  onVisibleRows: (rows: RowRange) => void;
  changing: TrashChange<RemovedFileWire> | null;
  onRestore: (files: RemovedFileWire[]) => void;
  onPurge: (files: RemovedFileWire[]) => void;
  children: ReactNode;
}) {
  const { ids, selected, select, selectAll, clear, onRowKey } = useSelection<RemovedFileWire>(rows);
  const isAll = selected.length === rows.length;
  const heads = useMemo(() => {
    const box = (
      <input
        type="checkbox"
        aria-label="Select all files"
        className="checkbox checkbox-sm align-middle"
        checked={isAll}
        onChange={isAll ? clear : selectAll}
      />
    );
    return [{ label: 'Select', className: 'w-10', button: box }, ...HEADS];
  }, [isAll, clear, selectAll]);
  return (
    <div className="relative">
      {selected.length > 0 && (
        <SelectionToolbar files={selected} onClear={clear}>
          <Button
            className="btn-ghost btn-sm"
            pending={changing?.action === 'restore'}
            onClick={() => onRestore(selected)}
          >
            Restore
          </Button>
          <Button
            className="btn-ghost btn-sm text-error"
            disabled={changing !== null}
            onClick={() => onPurge(selected)}
          >
            Delete
          </Button>
        </SelectionToolbar>
      )}
      <VirtualTable
        label="Deleted files"
        heads={heads}
        rows={rows}
        isComplete={isComplete}
        onVisibleRows={onVisibleRows}
        renderRow={(file, row, isStop) => (
          <TrashRow
            {...{ file, row, isStop, onRowKey, onRestore, onPurge }}
            isSelected={ids.has(file.id)}
            selected={ids.has(file.id) ? selected : null}
            isChanging={changing?.files.includes(file) ?? false}
            onSelect={select}
          />
        )}
      >
        {children}
      </VirtualTable>
    </div>
  );
}
