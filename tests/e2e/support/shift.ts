import type { Page } from '@playwright/test';

/** What comes late has come by then. */
const SETTLE_MS = 400;

type Moved = { node: Node | null; previousRect: DOMRect; currentRect: DOMRect };

/** The sum of all layout shifts of a page since it was loaded, with what moved. */
export const layoutShift = (page: Page): Promise<{ sum: number; moved: string[] }> =>
  page.evaluate(
    (settle) =>
      new Promise((resolve) => {
        let sum = 0;
        const moved: string[] = [];
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) {
            sum += Reflect.get(entry, 'value') as number;
            for (const source of Reflect.get(entry, 'sources') as Moved[]) {
              const { node, previousRect: from, currentRect: to } = source;
              const what = node instanceof Element ? node.outerHTML.slice(0, 120) : String(node);
              moved.push(`${what} from ${JSON.stringify(from)} to ${JSON.stringify(to)}`);
            }
          }
        }).observe({ type: 'layout-shift', buffered: true });
        setTimeout(() => resolve({ sum, moved }), settle);
      }),
    SETTLE_MS,
  );
