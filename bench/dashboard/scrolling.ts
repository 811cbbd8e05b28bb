import type { Browser, Page } from '@playwright/test';
import { type LongestTask, tasksOf } from './main-thread.ts';

export type Scrolling = {
  /** Of the list, in the page at once. */
  rows: number;
  longest: LongestTask;
  seconds: number;
  /** Pages that were asked for. */
  requests: number;
};

const TIMEOUT_MS = 300_000;
/** What a hand at the wheel does. */
const WHEEL = 1500;

/** Opens a list of `count` rows and turns the mouse wheel until its last row is there. */
export async function scrollToEnd(
  browser: Browser,
  page: Page,
  path: string,
  count: number,
): Promise<Scrolling> {
  let requests = 0;
  page.on('request', (request) => {
    if (new URL(request.url()).searchParams.has('cursor')) requests += 1;
  });
  await page.goto(path, { waitUntil: 'networkidle' });
  await page.evaluate(() => {
    const seen = { rows: 0 };
    Reflect.set(window, 'seen', seen);
    const look = () => {
      seen.rows = Math.max(seen.rows, document.querySelectorAll('tbody tr').length);
      requestAnimationFrame(look);
    };
    look();
  });

  const { width, height } = page.viewportSize() ?? { width: 0, height: 0 };
  await page.mouse.move(width / 2, height - 100);
  const last = page.locator(`[data-row="${count - 1}"]`);
  const start = performance.now();
  const longest = await tasksOf(browser, page, async () => {
    while ((await last.count()) === 0) {
      if (performance.now() - start > TIMEOUT_MS)
        throw new Error('The list did not come to its end.');
      await page.mouse.wheel(0, WHEEL);
    }
  });
  const seconds = (performance.now() - start) / 1000;
  await last.scrollIntoViewIfNeeded();
  const seen = (await page.evaluate(() => Reflect.get(window, 'seen'))) as { rows: number };
  return { ...seen, longest, seconds, requests };
}
