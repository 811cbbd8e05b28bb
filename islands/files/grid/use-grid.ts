import {
  type KeyboardEvent,
  type RefObject,
  useCallback,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { flushSync } from 'react-dom';
import { cardAfter, type Lines, showLine, visibleLines } from './grid-lines.ts';

/** Where a grid is before it is measured, and on the server: all cards are in the document. */
const UNMEASURED: Lines = { columns: 0, from: 0, to: Number.POSITIVE_INFINITY };

/** Returns the lines of a grid that can be seen, and what measures them again. */
function useLines(grid: RefObject<HTMLUListElement | null>) {
  const [lines, setLines] = useState(UNMEASURED);
  const measure = useCallback(() => {
    const list = grid.current;
    if (!list) return;
    const next = visibleLines(list);
    setLines((now) => (JSON.stringify(now) === JSON.stringify(next) ? now : next));
  }, [grid]);
  useLayoutEffect(() => {
    const page = new AbortController();
    const options = { passive: true, capture: true, signal: page.signal };
    addEventListener('scroll', measure, options);
    addEventListener('resize', measure, options);
    const observer = new ResizeObserver(measure);
    if (grid.current) observer.observe(grid.current);
    measure();
    return () => {
      page.abort();
      observer.disconnect();
    };
  }, [measure, grid]);
  return { lines, measure };
}

/**
 * Computes which cards of a grid are in the document: those of the lines that can be seen, whether a box or the page
 * scrolls them. Moves the focus between cards by arrows, Home and End.
 */
export function useGrid(count: number, grid: RefObject<HTMLUListElement | null>) {
  const { lines, measure } = useLines(grid);
  const [focused, setFocused] = useState(0);
  const pending = useRef<number | null>(null);

  const linkOf = (card: number) =>
    grid.current?.querySelector<HTMLElement>(`[data-card="${card}"] a`);
  // The card may not have been in the document when the focus was moved to it.
  useLayoutEffect(() => {
    const link = pending.current === null ? null : linkOf(pending.current);
    if (!link) return;
    pending.current = null;
    link.focus();
  });

  const focusCard = (card: number) => {
    showLine(grid.current, Math.floor(card / Math.max(1, lines.columns)));
    pending.current = card;
    setFocused(card);
    measure();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.target as HTMLElement;
    const at = Number(target.closest<HTMLElement>('[data-card]')?.dataset.card);
    const next = target.matches('a') ? cardAfter(event.key, at, count, lines.columns) : null;
    if (next === null) return;
    event.preventDefault();
    flushSync(() => focusCard(next));
    // Nothing is rendered where the focus stays in its line.
    linkOf(next)?.focus();
    pending.current = null;
  };
  const first = lines.from * lines.columns;
  const end = lines.columns === 0 ? count : Math.min(count, lines.to * lines.columns);
  const shown = Array.from({ length: Math.max(0, end - first) }, (_, index) => first + index);
  return {
    columns: Math.max(1, lines.columns),
    lines,
    shown,
    /** The card that the Tab key leads to. */
    stop: shown.includes(focused) ? focused : first,
    setFocused,
    onKeyDown,
    /** Moves the focus to the last card. Returns false if the focus is on no card. */
    goToEnd(): boolean {
      const isOnCard = document.activeElement?.matches('[data-card] a') ?? false;
      if (pending.current === null && !isOnCard) return false;
      focusCard(count - 1);
      return true;
    },
  };
}
