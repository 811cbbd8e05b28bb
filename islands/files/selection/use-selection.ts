import { type KeyboardEvent, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { all, NOTHING, rangeTo, type Selection, toggled } from './selection.ts';

/** Whether keys of a list are for an element: the name or the box of a row, and neither its menu nor a field. */
export const isRowControl = (target: EventTarget) =>
  target instanceof HTMLElement && target.matches('a, input[type=checkbox]');

type FolderRow = { id: string; folder: string };

/**
 * Returns which files of a list are selected, and how keys and clicks change that. Folders are not selected. The
 * functions stay the same, so that a row is rendered again only when it is selected.
 * @param columns how many files are side by side
 */
export function useSelection<File extends { id: string }>(rows: (File | FolderRow)[], columns = 1) {
  const [selection, setSelection] = useState<Selection>(NOTHING);
  const order = useRef<string[]>([]);
  const files = useMemo(() => rows.filter((row): row is File => !('folder' in row)), [rows]);
  useEffect(() => {
    order.current = files.map(({ id }) => id);
  }, [files]);
  const { ids } = selection;
  const steps = useMemo(
    () =>
      new Map([
        ['ArrowDown', columns],
        ['ArrowUp', -columns],
        ...(columns > 1
          ? ([
              ['ArrowRight', 1],
              ['ArrowLeft', -1],
            ] as const)
          : []),
      ]),
    [columns],
  );
  /** A selected file can have left the list. */
  const selected = useMemo(
    () => (ids.size === 0 ? [] : files.filter(({ id }) => ids.has(id))),
    [files, ids],
  );

  const clear = useCallback(() => setSelection(NOTHING), []);
  const selectAll = useCallback(() => setSelection(all(order.current)), []);
  const select = useCallback(
    (id: string, isRange: boolean) =>
      setSelection((before) =>
        isRange ? rangeTo(before, { from: id, to: id }, order.current) : toggled(before, id),
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
        const at = order.current.indexOf(id) + (steps.get(key) ?? 0);
        const to = order.current[at] ?? id;
        setSelection((before) => rangeTo(before, { from: id, to }, order.current));
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
