/** Rows that Page Up and Page Down go over. */
const PAGE = 8;

/**
 * Where a key leads in a list of options, as the ARIA listbox pattern has it; null where it is no
 * key of a list. Up from the first leads to the last; down from the last leads to the first only
 * where there is no more to come.
 * @param at the active option's place, -1 for none
 */
export function nextOption(key: string, at: number, count: number, hasMore: boolean) {
  if (count === 0) return null;
  const last = count - 1;
  switch (key) {
    case 'ArrowDown':
      return at < last ? at + 1 : hasMore ? last : 0;
    case 'ArrowUp':
      return at > 0 ? at - 1 : last;
    case 'PageDown':
      return Math.min(at + PAGE, last);
    case 'PageUp':
      return Math.max(at - PAGE, 0);
    case 'Home':
      return 0;
    case 'End':
      return last;
    default:
      return null;
  }
}
