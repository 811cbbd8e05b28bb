import { expect, type Page } from '@playwright/test';
import { createBucket } from '../../support/client/api.ts';
import { fileRows, insertFiles } from '../../support/fixtures/file-rows.ts';
import type { ServerProcess } from '../../support/server/server-process.ts';
import { startSession } from './people.ts';

/** Signs up a user with a bucket of many files, and opens the files page. */
export async function enterFull(
  page: Page,
  server: ServerProcess,
  { count, query = '' }: { count: number; query?: string },
) {
  const { token } = await startSession(page, server);
  const bucket = await createBucket(server, token, 'Harbour');
  const rows = fileRows(bucket.id, count);
  await insertFiles(server.dataDir, rows);
  const path = `/dashboard/files/${bucket.id}`;
  await page.goto(path + query);
  return { path, bucket, rows };
}

/** Collects the parameters of the page's list requests, without those that are always the same. */
export function watchLists(page: Page): string[] {
  const queries: string[] = [];
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url());
    if (!pathname.startsWith('/files/') || searchParams.get('limit') !== '50') return;
    searchParams.delete('limit');
    queries.push(String(searchParams));
  });
  return queries;
}

export const tableOf = (page: Page) => page.getByRole('table');
export const fileLink = (page: Page, at: number) =>
  page.getByRole('link', { name: `file-${String(at).padStart(5, '0')}.` });
/** Counts all rows of the table's body, including the gaps. */
export const rowsInPage = (page: Page) => page.locator('tbody tr').count();

/** Scrolls to the last of `count` files. Returns the highest number of rows in the document. */
export async function scrollToLast(page: Page, count: number): Promise<number> {
  const { width, height } = page.viewportSize() ?? { width: 0, height: 0 };
  await page.mouse.move(width / 2, height - 100);
  let maxRows = 0;
  await expect
    .poll(
      async () => {
        await page.mouse.wheel(0, 700);
        maxRows = Math.max(maxRows, await rowsInPage(page));
        return fileLink(page, count - 1).count();
      },
      { intervals: [20] },
    )
    .toBe(1);
  // The scrolling continues for a moment.
  await fileLink(page, count - 1).evaluate(async (link) => {
    for (let [y, frames] = [Number.NaN, 0]; frames < 6; ) {
      await new Promise(requestAnimationFrame);
      const { y: now } = link.getBoundingClientRect();
      frames = now === y ? frames + 1 : 0;
      y = now;
    }
  });
  return maxRows;
}
