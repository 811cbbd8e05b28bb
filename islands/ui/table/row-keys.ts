/** The keys that lead to another row, as `data-keys` has them. */
export const ROW_KEYS = 'ArrowDown ArrowUp PageDown PageUp Home End';

/**
 * Which row a key leads to from the row at `at`, of `count`; null where the key means none. A page
 * is as many rows as can be seen at once.
 */
export function rowAfter(key: string, at: number, count: number, page: number): number | null {
  const wanted = new Map([
    ['ArrowDown', at + 1],
    ['ArrowUp', at - 1],
    ['PageDown', at + Math.max(1, page)],
    ['PageUp', at - Math.max(1, page)],
    ['Home', 0],
    ['End', count - 1],
  ]).get(key);
  return wanted === undefined ? null : Math.max(0, Math.min(wanted, count - 1));
}
