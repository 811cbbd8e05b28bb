import {
  type FocusEvent,
  type KeyboardEvent,
  type RefObject,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';

/** The controls of a row, without those in its open menu. */
const CONTROLS = 'a, button[aria-haspopup], input[type=checkbox]';

/**
 * Tracks the focused row of a virtual list, which has few of its rows in the document. Arrows, Page
 * Up, Page Down, Home and End move the focus to the same control of another row.
 * @param keyOf returns the id of a row
 */
export function useRowFocus({
  count,
  keyOf,
  body,
}: {
  count: number;
  keyOf: (row: number) => string;
  body: RefObject<HTMLElement | null>;
}) {
  /** The row's index changes when rows before it are added or removed, so its id is kept too. */
  const [at, setAt] = useState<{ row: number; id: string } | null>(null);
  const pendingControl = useRef<number | null>(null);
  const row = at && rowOf(at, count, keyOf);

  useLayoutEffect(() => {
    if (pendingControl.current === null) return;
    const target = controlsOf(body.current, row)[pendingControl.current];
    if (!target) return;
    pendingControl.current = null;
    target.focus({ preventScroll: true });
  });

  return {
    /** The row that has or last had the focus, or null if none had it. */
    row,
    onFocus({ target }: FocusEvent) {
      const rowIndex = Number(target.closest<HTMLElement>('[data-row]')?.dataset.row);
      const id = keyOf(rowIndex);
      if (id !== '' && id !== at?.id) setAt({ row: rowIndex, id });
    },
    onKeyDown(event: KeyboardEvent, { show, page }: { show: (row: number) => void; page: number }) {
      if (row === null || event.ctrlKey || event.metaKey || event.altKey) return;
      const control = controlsOf(body.current, row).indexOf(event.target as HTMLElement);
      const next = rowAfter(event.key, row, count, page);
      if (control < 0 || next === null) return;
      event.preventDefault();
      show(next);
      if (next === row) return;
      pendingControl.current = control;
      setAt({ row: next, id: keyOf(next) });
    },
    /** Moves the focus to the same control of the last row. Returns false if the focus is not in a row. */
    goToEnd(show: (row: number) => void): boolean {
      const focused = document.activeElement as HTMLElement | null;
      const control =
        pendingControl.current ?? (focused ? controlsOf(body.current, row).indexOf(focused) : -1);
      if (control < 0) return false;
      show(count - 1);
      if (row === count - 1) return true;
      pendingControl.current = control;
      setAt({ row: count - 1, id: keyOf(count - 1) });
      return true;
    },
  };
}

const controlsOf = (body: HTMLElement | null, row: number | null) => [
  ...(body?.querySelectorAll<HTMLElement>(`[data-row="${row}"] :is(${CONTROLS})`) ?? []),
];

/** Returns the current index of a row, or null if it was removed. */
function rowOf(
  at: { row: number; id: string },
  count: number,
  keyOf: (row: number) => string,
): number | null {
  if (keyOf(at.row) === at.id) return at.row;
  for (let row = 0; row < count; row += 1) if (keyOf(row) === at.id) return row;
  return null;
}

/** The keys that move the focus to another row, as a value of `data-keys`. */
export const ROW_KEYS = 'ArrowDown ArrowUp PageDown PageUp Home End';

/**
 * Returns the row that a key moves the focus to, or null if the key moves it nowhere.
 * @param at the focused row
 * @param page the number of visible rows
 */
export function rowAfter(key: string, at: number, count: number, page: number): number | null {
  const target = new Map([
    ['ArrowDown', at + 1],
    ['ArrowUp', at - 1],
    ['PageDown', at + Math.max(1, page)],
    ['PageUp', at - Math.max(1, page)],
    ['Home', 0],
    ['End', count - 1],
  ]).get(key);
  return target === undefined ? null : Math.max(0, Math.min(target, count - 1));
}
