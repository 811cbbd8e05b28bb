import { type KeyboardEvent, type RefObject, useCallback, useLayoutEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import { cardAfter, type Lines, showLine, visibleLines } from './grid-lines.ts';

/** Where a grid is before it is measured, and on the server: all cards are in the document. */
const UNMEASURED: Lines = { columns: 0, from: 0, to: Number.POSITIVE_INFINITY };

/**
 * Computes which cards of a grid are in the document: those of the lines that can be seen, whether a box or the page
 * scrolls them. Moves the focus between cards by arrows, Home and End.
 */
export function useGrid(count: number, grid: RefObject<HTMLUListElement | null>) {
  const [lines, setLines] = useState(UNMEASURED);
  const [focused, setFocused] = useState(0);

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

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.target as HTMLElement;
    const at = Number(target.closest<HTMLElement>('[data-card]')?.dataset.card);
    const next = target.matches('a') ? cardAfter(event.key, at, count, lines.columns) : null;
    if (next === null) return;
    event.preventDefault();
    showLine(grid.current, Math.floor(next / lines.columns));
    flushSync(() => {
      setFocused(next);
      measure();
    });
    const link = grid.current?.querySelector<HTMLElement>(`[data-card="${next}"] a`);
    link?.focus();
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
  };
}
