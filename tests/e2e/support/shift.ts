import type { Page } from '@playwright/test';

type Moved = { node: Node | null; previousRect: DOMRect; currentRect: DOMRect };

/**
 * The sum of all layout shifts of a page since it was loaded, with what moved, once all that comes
 * late has come: its scripts, its fonts, its islands but those that nobody wanted, and their frames.
 */
export async function layoutShift(page: Page): Promise<{ sum: number; moved: string[] }> {
  await page.waitForFunction(() => {
    const { dataset } = document.documentElement;
    const islands =
      '[data-island]:not([data-live]):not([data-late]), [data-wanted]:not([data-live])';
    return dataset.live !== undefined && document.querySelector(islands) === null;
  });
  return page.evaluate(async () => {
    await document.fonts.ready;
    const ending = document
      .getAnimations()
      .filter(({ effect }) => Number.isFinite(effect?.getComputedTiming().endTime));
    await Promise.allSettled(ending.map(({ finished }) => finished));
    // What these changed is laid out in the next frame, and told after it.
    for (let frame = 0; frame < 3; frame += 1) await new Promise(requestAnimationFrame);
    let sum = 0;
    const moved: string[] = [];
    const take = (list: PerformanceObserverEntryList) => {
      for (const entry of list.getEntries()) {
        sum += Reflect.get(entry, 'value') as number;
        for (const source of Reflect.get(entry, 'sources') as Moved[]) {
          const { node, previousRect: from, currentRect: to } = source;
          const what = node instanceof Element ? node.outerHTML.slice(0, 120) : String(node);
          moved.push(`${what} from ${JSON.stringify(from)} to ${JSON.stringify(to)}`);
        }
      }
    };
    const observer = new PerformanceObserver(take);
    observer.observe({ type: 'layout-shift', buffered: true });
    // Entries that are kept are told in a task of their own, a mark's of the same type after them.
    await new Promise<void>((resolve) => {
      const marks = new PerformanceObserver(() => resolve());
      marks.observe({ type: 'mark', buffered: true });
      performance.mark('looked');
    });
    await new Promise(requestAnimationFrame);
    await new Promise((resolve) => setTimeout(resolve));
    observer.disconnect();
    return { sum, moved };
  });
}
