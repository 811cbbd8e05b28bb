import { type KeyboardEvent, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { all, NOTHING, rangeTo, type Selection, toggled } from './selection.ts';

/** Whether keys of a list are for an element: the name or the box of a row, and neither its menu nor a field. */
export const isRowControl = (target: EventTarget) =>
  target instanceof HTMLElement && target.matches('a, input[type=checkbox]');

type FolderRow = { id: string; folder: string };

/** Returns the files of a list, without its folders. */
const filesOf = <File extends { id: string }>(rows: (File | FolderRow)[]) =>
  rows.filter((row): row is File => !('folder' in row));
const orderOf = (rows: ({ id: string } | FolderRow)[]) => filesOf(rows).map(({ id }) => id);

/** Returns how many files further the arrows lead. */
const stepsOf = (columns: number) =>
  new Map([
    ['ArrowDown', columns],
    ['ArrowUp', -columns],
    ...(columns > 1
      ? ([
          ['ArrowRight', 1],
          ['ArrowLeft', -1],
        ] as const)
      : []),
  ]);

/**
 * Returns which files of a list are selected, and how keys and clicks change that. Folders are not selected. The
 * functions stay the same, so that a row is rendered again only when it is selected.
 * @param columns how many files are side by side
 */
export function useSelection<File extends { id: string }>(rows: (File | FolderRow)[], columns = 1) {
  const [selection, setSelection] = useState<Selection>(NOTHING);
  /** The files are sorted out for a key or a click only, as a long list changes with each of its many pages. */
  const latest = useRef(rows);
  useEffect(() => {
    latest.current = rows;
  }, [rows]);
  const { ids } = selection;
  const steps = useMemo(() => stepsOf(columns), [columns]);
  /** A selected file can have left the list. */
  const selected = useMemo(
    () => (ids.size === 0 ? [] : filesOf(rows).filter(({ id }) => ids.has(id))),
    [rows, ids],
  );

  const clear = useCallback(() => setSelection(NOTHING), []);
  const selectAll = useCallback(() => setSelection(all(orderOf(latest.current))), []);
  const select = useCallback(
    (id: string, isRange: boolean) =>
      setSelection((before) =>
        isRange
          ? rangeTo(before, { from: id, to: id }, orderOf(latest.current))
          : toggled(before, id),
      ),
    [],
  );
  /** Handles a key in the row of a file. Returns whether it changed the selection. */
  const onRowKey = useCallback(
    (event: KeyboardEvent, id: string): boolean => {
      const { key, shiftKey, ctrlKey, metaKey } = event;
      const isOurs = isRowControl(event.target);
      if (key === ' ' && event.target instanceof HTMLAnchorElement) select(id, shiftKey);
      else if (key === 'a' && (ctrlKey || metaKey) && isOurs) selectAll();
      else if (key === 'Escape' && isOurs) clear();
      else if (shiftKey && steps.has(key)) {
        const order = orderOf(latest.current);
        const to = order[order.indexOf(id) + (steps.get(key) ?? 0)] ?? id;
        setSelection((before) => rangeTo(before, { from: id, to }, order));
        // The list moves the focus.
        return false;
      } else return false;
      event.preventDefault();
      return true;
    },
    [select, selectAll, clear, steps],
  );
  return { ids, selected, select, selectAll, clear, onRowKey };
}
