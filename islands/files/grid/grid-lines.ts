/** The height of a card and of the gap below it, in pixels, as in the classes of the grid. */
export const CARD_HEIGHT = 168;
const GAP = 8;
const TOP_BAR = 56;
export const LINE_HEIGHT = CARD_HEIGHT + GAP;
const OVERSCAN = 2;

/** The number of columns, and the lines of cards in the document, of which `to` is the first that is not. */
export type Lines = { columns: number; from: number; to: number };

/** Returns the lines of a grid that can be seen in its box and in the window. */
export function visibleLines(grid: HTMLElement): Lines {
  const columns = getComputedStyle(grid).gridTemplateColumns.split(' ').length;
  const { top } = grid.getBoundingClientRect();
  const box = (grid.parentElement ?? grid).getBoundingClientRect();
  const above = Math.max(0, box.top) - top;
  const below = Math.min(innerHeight, box.bottom) - top;
  const from = Math.max(0, Math.floor(above / LINE_HEIGHT) - OVERSCAN);
  return { columns, from, to: Math.max(from + 1, Math.ceil(below / LINE_HEIGHT) + OVERSCAN) };
}

/** Scrolls the box or the page so far that a line can be seen. */
export function showLine(grid: HTMLElement | null, line: number): void {
  const box = grid?.parentElement;
  if (!grid || !box) return;
  const { top } = grid.getBoundingClientRect();
  const [start, end] = [top + line * LINE_HEIGHT, top + (line + 1) * LINE_HEIGHT];
  const frame = box.getBoundingClientRect();
  const isBox = box.scrollHeight > box.clientHeight;
  const [upper, lower] = isBox ? [frame.top, frame.bottom] : [TOP_BAR, innerHeight];
  const by = start < upper ? start - upper - GAP : end > lower ? end - lower + GAP : 0;
  if (isBox) box.scrollTop += by;
  else scrollBy(0, by);
}

/** Returns the height of the space that stands for lines which are not in the document; 0 for none. */
export const gapOf = (lines: number): number => Math.max(0, lines * LINE_HEIGHT - GAP);

/** Returns the card that a key moves the focus to, or null if the key moves it nowhere. */
export function cardAfter(key: string, at: number, count: number, columns: number): number | null {
  const target = new Map([
    ['ArrowRight', at + 1],
    ['ArrowLeft', at - 1],
    ['ArrowDown', at + columns],
    ['ArrowUp', at - columns],
    ['Home', 0],
    ['End', count - 1],
  ]).get(key);
  if (target === undefined || Number.isNaN(target)) return null;
  return target < 0 || target >= count ? at : target;
}
