import { type RefObject, useLayoutEffect } from 'react';

const PROPERTY = '--tray-height';

/**
 * Keeps as much space below the page as the tray covers, so that the last rows of a list can be scrolled above it, and
 * toasts stand above it too.
 */
export function useTraySpace(tray: RefObject<HTMLElement | null>, isShown: boolean) {
  useLayoutEffect(() => {
    const { style } = document.documentElement;
    if (!isShown || !tray.current) return;
    const measure = ([entry]: ResizeObserverEntry[]) => {
      const height = entry?.borderBoxSize[0]?.blockSize ?? 0;
      style.setProperty(PROPERTY, `${Math.ceil(height)}px`);
    };
    const observer = new ResizeObserver(measure);
    observer.observe(tray.current);
    return () => {
      observer.disconnect();
      style.removeProperty(PROPERTY);
    };
  }, [tray, isShown]);
}
