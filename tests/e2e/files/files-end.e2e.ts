import type { Page } from '@playwright/test';
import { expect, test } from '../fixtures.ts';
import { holdRequests } from '../support/hold-requests.ts';
import { expectSound } from '../support/look.ts';
import { enterFull, fileLink, rowsInPage, tableOf, watchLists } from '../support/many-files.ts';

const LISTS = /\/files\/\w+\?.*limit=50/;
const notice = (page: Page) => page.getByText('Loading all rows. Press any key to stop.');

test('End goes to the last of all files, each page once, and says that it is on its way', async ({
  page,
  server,
}) => {
  const { rows } = await enterFull(page, server, { count: 270 });
  const queries = watchLists(page);
  const release = await holdRequests(page, LISTS);
  await fileLink(page, 0).focus();
  await page.keyboard.press('End');
  await expect(fileLink(page, 49)).toBeFocused();
  await expect(notice(page)).toContainText('50 rows so far.');
  await expect(fileLink(page, 49)).toBeInViewport();
  await expectSound(page);
  release();
  await expect(fileLink(page, 269)).toBeFocused();
  await expect(fileLink(page, 269)).toBeInViewport();
  await expect(page.getByText('All 270 rows loaded.')).toBeAttached();
  await expect(notice(page)).toHaveCount(0);
  await expect(tableOf(page)).toHaveAttribute('aria-rowcount', '271');
  expect(await rowsInPage(page)).toBeLessThan(60);
  expect(queries).toEqual([49, 99, 149, 199, 249].map((at) => `cursor=${rows[at]?.id}`));
});

test('any other key stops what End began, and a page that fails does too', async ({
  page,
  server,
}) => {
  await enterFull(page, server, { count: 270 });
  const queries = watchLists(page);
  const release = await holdRequests(page, LISTS);
  await fileLink(page, 0).focus();
  await page.keyboard.press('End');
  await expect(notice(page)).toBeVisible();
  await page.keyboard.press('Home');
  await expect(notice(page)).toHaveCount(0);
  await expect(fileLink(page, 0)).toBeFocused();
  release();
  await expect(page.getByRole('status', { name: 'Loading more' })).toHaveCount(0);
  await page.keyboard.press('ArrowDown');
  await expect(fileLink(page, 1)).toBeFocused();
  await expect(fileLink(page, 1)).toBeInViewport();
  expect(queries).toHaveLength(1);

  await page.unrouteAll();
  await page.route(LISTS, (route) => route.fulfill({ status: 429, body: '' }));
  await page.keyboard.press('End');
  await page.getByRole('button', { name: 'Try again' }).waitFor();
  await expect(notice(page)).toHaveCount(0);
  await page.unrouteAll();
});

test('what sorts the table or a folder keeps the focus, and the list begins at its top', async ({
  page,
  server,
}) => {
  const { path } = await enterFull(page, server, { count: 120 });
  const box = page.getByRole('region', { name: 'Files in this bucket' });
  const top = () => box.evaluate((it) => it.scrollTop);
  const size = page.getByRole('button', { name: 'Size' });
  for (const query of ['', '?folder=']) {
    await page.goto(path + query);
    await size.focus();
    await box.evaluate((it) => it.scrollTo(0, 600));
    expect(await top()).toBeGreaterThan(0);
    await page.keyboard.press('Enter');
    const head = page.getByRole('columnheader', { name: 'Size' });
    await expect(head).toHaveAttribute('aria-sort', 'descending');
    await expect(page.getByRole('main').locator('[aria-busy=true]')).toHaveCount(0);
    await expect(size).toBeFocused();
    await expect.poll(top).toBe(0);
    await page.keyboard.press('Enter');
    await expect(head).toHaveAttribute('aria-sort', 'ascending');
    await expect(size).toBeFocused();
  }
});
