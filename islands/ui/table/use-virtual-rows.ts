import {
  defaultRangeExtractor,
  elementScroll,
  observeElementOffset,
  observeElementRect,
  observeWindowOffset,
  observeWindowRect,
  type Range,
  useVirtualizer,
  type VirtualItem,
  type VirtualizerOptions,
  windowScroll,
} from '@tanstack/react-virtual';
import {
  type RefObject,
  useCallback,
  useLayoutEffect,
  useState,
  useSyncExternalStore,
} from 'react';
import { PAGE_SIZE } from '../../../server/contract/limits.ts';

/** Heights in pixels, as in the classes of the table. */
const ROW = 40;
const CARD = 88;
const HEAD = 40;
const TOP_BAR = 56;
const OVERSCAN = 4;

const NARROW = '(width < 768px)';

/**
 * What scrolls the rows: a box, or on narrow screens, where rows are cards, the page. The server does
 * not know the width and renders `all` rows; the browser then removes those that are not visible.
 */
type Scroller = 'all' | 'box' | 'page';

type Options = Pick<
  VirtualizerOptions<HTMLElement, HTMLElement>,
  'getScrollElement' | 'observeElementRect' | 'observeElementOffset' | 'scrollToFn'
>;
/** The library has a separate hook for scrolling pages, but a list can't switch between hooks. */
const pageOptions = {
  getScrollElement: () => window,
  observeElementRect: observeWindowRect,
  observeElementOffset: observeWindowOffset,
  scrollToFn: windowScroll,
  initialOffset: () => scrollY,
} as unknown as Options;

const boxOptions = (box: RefObject<HTMLElement | null>) => ({
  getScrollElement: () => box.current,
  observeElementRect,
  observeElementOffset,
  scrollToFn: elementScroll,
  initialOffset: () => box.current?.scrollTop ?? 0,
});

/**
 * Computes which rows of a list are in the document, and where.
 * @param keyOf returns the id of a row; the same function as long as the rows are the same
 * @param focusedRow a row that stays in the document because it has the focus
 */
export function useVirtualRows({
  count,
  keyOf,
  focusedRow,
  box,
  body,
}: {
  count: number;
  keyOf: (row: number) => string;
  focusedRow: number | null;
  box: RefObject<HTMLElement | null>;
  body: RefObject<HTMLElement | null>;
}) {
  const scroller = useSyncExternalStore(
    onNarrow,
    (): Scroller => (matchMedia(NARROW).matches ? 'page' : 'box'),
    (): Scroller => 'all',
  );
  const isPage = scroller === 'page';
  const size = isPage ? CARD : ROW;
  const top = useTopInPage(body, isPage);
  const margin = isPage ? top : HEAD;
  const rangeExtractor = useCallback((range: Range) => withRow(range, focusedRow), [focusedRow]);

  const virtual = useVirtualizer<HTMLElement, HTMLElement>({
    enabled: scroller !== 'all',
    count,
    getItemKey: keyOf,
    estimateSize: () => size,
    overscan: OVERSCAN,
    // Rows are rendered in a separate task, as flushSync would delay the frame that lays out others.
    useFlushSync: false,
    rangeExtractor,
    scrollMargin: margin,
    scrollPaddingStart: isPage ? TOP_BAR : HEAD,
    // Until the box is measured, all rows of the first page stay in the document.
    initialRect: { width: 0, height: PAGE_SIZE * size },
    ...(isPage ? pageOptions : boxOptions(box)),
  });

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new `size` makes the measured sizes invalid
  useLayoutEffect(() => virtual.measure(), [size, virtual]);
  const items = scroller === 'all' ? all(count) : virtual.getVirtualItems();
  const end = items.at(-1)?.end ?? margin;
  return {
    items,
    /** Returns the height in pixels of the omitted rows before an item. */
    gapBefore: (at: number) => (items[at]?.start ?? 0) - (items[at - 1]?.end ?? margin),
    gapAfter: scroller === 'all' ? 0 : margin + virtual.getTotalSize() - end,
    /** The visible rows, without the overscan around them. */
    seen: [virtual.range?.startIndex ?? 0, virtual.range?.endIndex ?? 0] as const,
    show: (row: number) => virtual.scrollToIndex(row, { align: 'auto' }),
  };
}

/** Returns the distance in pixels from the top of the page to the rows; 0 before it is measured. */
function useTopInPage(body: RefObject<HTMLElement | null>, isPage: boolean): number {
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    if (!isPage) return;
    const measure = () =>
      setTop(Math.round((body.current?.getBoundingClientRect().top ?? 0) + scrollY));
    measure();
    // A change above the rows changes the height of the page. Measuring after each render instead
    // would force a layout every time.
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, [isPage, body]);
  return top;
}

const all = (count: number): VirtualItem[] =>
  Array.from({ length: count }, (_, index) => {
    const start = HEAD + index * ROW;
    return { key: index, index, start, end: start + ROW, size: ROW, lane: 0 };
  });

/** Returns the rows around the visible range, and the focused row. */
function withRow(range: Range, row: number | null): number[] {
  const rows = defaultRangeExtractor(range);
  if (row === null || row >= range.count || rows.includes(row)) return rows;
  return [...rows, row].sort((a, b) => a - b);
}

function onNarrow(listener: () => void) {
  const query = matchMedia(NARROW);
  query.addEventListener('change', listener);
  return () => query.removeEventListener('change', listener);
}
