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

/** Pixels, as the classes of the table have them. */
const ROW = 40;
const CARD = 88;
const HEAD = 40;
const TOP_BAR = 56;
const OVERSCAN = 4;

const NARROW = '(width < 640px)';

/**
 * What scrolls the rows: a box of their own; on narrow screens, where they are cards, the page. The
 * server does not know, and `all` are written: only what is seen stays as soon as the browser does.
 */
type Scroller = 'all' | 'box' | 'page';

type Options = Pick<
  VirtualizerOptions<HTMLElement, HTMLElement>,
  'getScrollElement' | 'observeElementRect' | 'observeElementOffset' | 'scrollToFn'
>;
/** The library has a hook of its own for this; a list can not change between the two. */
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
 * Which rows of a list are to be in the page, and where.
 * @param keyOf the id of a row; the same function as long as the rows are the same
 * @param kept a row that stays in the page wherever it is, as it has the focus
 */
export function useVirtualRows({
  count,
  keyOf,
  kept,
  box,
  body,
}: {
  count: number;
  keyOf: (row: number) => string;
  kept: number | null;
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
  const rangeExtractor = useCallback((range: Range) => withRow(range, kept), [kept]);

  const virtual = useVirtualizer<HTMLElement, HTMLElement>({
    enabled: scroller !== 'all',
    count,
    getItemKey: keyOf,
    estimateSize: () => size,
    overscan: OVERSCAN,
    // Rows are made in a task of their own, not in the frame that has to lay out the last ones.
    useFlushSync: false,
    rangeExtractor,
    scrollMargin: margin,
    scrollPaddingStart: isPage ? TOP_BAR : HEAD,
    // Until the box is measured: no row of the first page goes only to come back.
    initialRect: { width: 0, height: PAGE_SIZE * size },
    ...(isPage ? pageOptions : boxOptions(box)),
  });

  // biome-ignore lint/correctness/useExhaustiveDependencies: the sizes are kept until they are said to be others
  useLayoutEffect(() => virtual.measure(), [size, virtual]);
  const items = scroller === 'all' ? all(count) : virtual.getVirtualItems();
  const end = items.at(-1)?.end ?? margin;
  return {
    items,
    /** Pixels of the rows left out before one that is in the page. */
    gapBefore: (at: number) => (items[at]?.start ?? 0) - (items[at - 1]?.end ?? margin),
    gapAfter: scroller === 'all' ? 0 : margin + virtual.getTotalSize() - end,
    /** The rows that can be seen, without those around them that are ready to be. */
    seen: [virtual.range?.startIndex ?? 0, virtual.range?.endIndex ?? 0] as const,
    show: (row: number) => virtual.scrollToIndex(row, { align: 'auto' }),
  };
}

/** Pixels from the top of the page to the rows, where the page scrolls them; 0 before it is measured. */
function useTopInPage(body: RefObject<HTMLElement | null>, isPage: boolean): number {
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    if (!isPage) return;
    const measure = () =>
      setTop(Math.round((body.current?.getBoundingClientRect().top ?? 0) + scrollY));
    measure();
    // Whatever comes or goes above the rows makes the page longer or shorter. Asking as each commit
    // is made would have the browser lay out the page in the middle of it.
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

/** What is around the window, and the row that stays. */
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
