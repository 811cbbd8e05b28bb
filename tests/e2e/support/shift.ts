import type { Page } from '@playwright/test';

type LayoutShiftSource = { node: Node | null; previousRect: DOMRect; currentRect: DOMRect };

/**
 * Returns the sum of a page's layout shifts and what has moved, after its scripts, fonts and islands
 * have loaded. Lazy islands that nobody has opened are excepted.
 */
export async function layoutShift(page: Page): Promise<{ sum: number; shifted: string[] }> {
  await page.waitForFunction(() => {
    const { dataset } = document.documentElement;
    const islands =
      '[data-island]:not([data-live]):not([data-lazy]), [data-wanted]:not([data-live])';
    return dataset.live !== undefined && document.querySelector(islands) === null;
  });
  return page.evaluate(async () => {
    await document.fonts.ready;
    const ending = document
      .getAnimations()
      .filter(({ effect }) => Number.isFinite(effect?.getComputedTiming().endTime));
    await Promise.allSettled(ending.map(({ finished }) => finished));
    // Their changes are laid out in the next frame, and reported after it.
    for (let frame = 0; frame < 3; frame += 1) await new Promise(requestAnimationFrame);
    let sum = 0;
    const shifted: string[] = [];
    const take = (list: PerformanceObserverEntryList) => {
      for (const entry of list.getEntries()) {
        sum += Reflect.get(entry, 'value') as number;
        for (const source of Reflect.get(entry, 'sources') as LayoutShiftSource[]) {
          const { node, previousRect: from, currentRect: to } = source;
          const what = node instanceof Element ? node.outerHTML.slice(0, 120) : String(node);
          shifted.push(`${what} from ${JSON.stringify(from)} to ${JSON.stringify(to)}`);
        }
      }
    };
    const observer = new PerformanceObserver(take);
    observer.observe({ type: 'layout-shift', buffered: true });
    // Buffered entries are reported in a separate task. A mark is reported after them.
    await new Promise<void>((resolve) => {
      const marks = new PerformanceObserver(() => resolve());
      marks.observe({ type: 'mark', buffered: true });
      performance.mark('looked');
    });
    await new Promise(requestAnimationFrame);
    await new Promise((resolve) => setTimeout(resolve));
    observer.disconnect();
    return { sum, shifted };
  });
}
