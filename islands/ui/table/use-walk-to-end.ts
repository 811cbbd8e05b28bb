import { type KeyboardEvent, use, useLayoutEffect, useRef, useState } from 'react';
import { NextPageFailed } from '../paged-state.tsx';

/** How many rows one press of End loads at most: 400 pages, which the browser holds and scrolls with ease. */
export const MAX_ROWS = 20_000;

/** `ended` at the last row of all, `paused` where the bound of one press is reached. */
export type Walk = 'going' | 'paused' | 'ended';

/** Returns how a walk stands that began at `from` loaded rows, of which there are now `count`. */
export function walkOf(from: number, count: number, isComplete: boolean): Walk {
  if (isComplete) return 'ended';
  return count - from >= MAX_ROWS ? 'paused' : 'going';
}

/**
 * Goes on to the end of a list that is loaded page by page, after End has led to the last loaded row: each page
 * that arrives is followed, and being near its end loads the next one. Any other key, the mouse, the wheel, a
 * focus that is elsewhere, and a page that fails end it.
 * @param isComplete false while the server has more rows than `count`
 * @param goToEnd moves the focus to the last loaded row; returns false where the focus is not in the list any more
 */
export function useWalkToEnd({
  count,
  isComplete,
  goToEnd,
}: {
  count: number;
  isComplete: boolean;
  goToEnd: () => boolean;
}) {
  const [walk, setWalk] = useState<Walk | null>(null);
  const from = useRef(count);
  const hasFailed = use(NextPageFailed);

  // biome-ignore lint/correctness/useExhaustiveDependencies: only rows that arrive are followed
  useLayoutEffect(() => {
    if (walk !== 'going') return;
    const isOn = !hasFailed && goToEnd();
    setWalk(isOn ? walkOf(from.current, count, isComplete) : null);
  }, [count, isComplete, hasFailed]);

  return {
    walk,
    stop: () => setWalk(null),
    /** Handles a key, after the list has moved its focus: one that did so is `defaultPrevented`. */
    onKeyDown: (event: KeyboardEvent) => {
      const isEnd = event.key === 'End' && event.isDefaultPrevented();
      if (isEnd && walk === 'going') return;
      from.current = count;
      setWalk(isEnd && !isComplete && !hasFailed ? 'going' : null);
    },
  };
}
