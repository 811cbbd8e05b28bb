import type { Page } from '@playwright/test';

/** Marks the document, so that a page that was loaded anew can be told from it. */
export async function markDocument(page: Page) {
  await page.evaluate(() => Reflect.set(window, 'isMarked', true));
  return () => page.evaluate(() => Reflect.get(window, 'isMarked') === true);
}
