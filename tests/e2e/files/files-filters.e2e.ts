import type { Page } from '@playwright/test';
import { expect, test } from '../fixtures.ts';
import { holdRequests } from '../support/hold-requests.ts';
import { enterFull, fileLink, scrollToLast, tableOf, watchLists } from '../support/many-files.ts';

const choice = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const dates = (page: Page) => page.getByLabel('Search between dates');
const isPressed = (page: Page, name: string) =>
  choice(page, name)
    .getAttribute('aria-pressed')
    .then((value) => value === 'true');

test('filters and days are in the URL and the first HTML, Back takes them back, and they are cleared where nothing is found', async ({
  page,
  server,
}) => {
  const { path } = await enterFull(page, server, { count: 60 });
  const queries = watchLists(page);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Files');
  await expect(page.getByText('The files uploaded in your bucket.')).toBeVisible();
  await expect(fileLink(page, 0)).toBeVisible();
  await expect(page.getByText('60 files', { exact: true })).toBeVisible();

  await choice(page, 'Video').click();
  await expect(page).toHaveURL(`${path}?file_type=video`);
  await expect(tableOf(page)).toHaveAttribute('aria-rowcount', '16');
  await expect(page.getByText('15 files', { exact: true })).toBeVisible();
  await expect(fileLink(page, 0)).toHaveCount(0);
  await choice(page, 'Private').click();
  await expect(page).toHaveURL(`${path}?file_type=video&access=private`);
  await expect(tableOf(page)).toHaveAttribute('aria-rowcount', '6');
  await expect(page.locator('tbody').getByRole('row')).toHaveText(
    Array.from({ length: 5 }, () => /^file-\d+\.mp4\d+\.00 KiBVideoPrivateSuccess/),
  );
  await choice(page, 'Video').click();
  await expect(page).toHaveURL(`${path}?access=private`);
  expect(await isPressed(page, 'Video')).toBe(false);
  await expect(tableOf(page)).toHaveAttribute('aria-rowcount', '21');
  await choice(page, 'Public').click();
  expect([await isPressed(page, 'Private'), await isPressed(page, 'Public')]).toEqual([
    false,
    true,
  ]);
  await expect(tableOf(page)).toHaveAttribute('aria-rowcount', '41');
  expect(queries).toEqual([
    'file_type=video&cursor=0',
    'file_type=video&access=private&cursor=0',
    'access=private&cursor=0',
    'access=public&cursor=0',
  ]);

  await page.goBack();
  await page.goBack();
  await expect(page).toHaveURL(`${path}?file_type=video&access=private`);
  await expect(tableOf(page)).toHaveAttribute('aria-rowcount', '6');
  await page.reload();
  await expect(tableOf(page)).toHaveAttribute('aria-rowcount', '6');
  expect(await isPressed(page, 'Private')).toBe(true);
  const html = await (await page.request.get(`${path}?file_type=video&access=private`)).text();
  expect(html.match(/>file-\d+\.\w+</g)).toHaveLength(5);
  expect(html).not.toContain('style=');
  const nonsense = await page.request.get(`${path}?file_type=x&access=y&from=2026-02-30&to=z`);
  expect((await nonsense.text()).match(/>file-\d+\.\w+</g)).toHaveLength(50);

  await page.goto(`${path}?from=2026-02-09&to=2026-02-10`);
  await expect(dates(page)).toHaveValue('09/02/2026 – 10/02/2026');
  await expect(tableOf(page)).toHaveAttribute('aria-rowcount', '38');
  await page.getByRole('button', { name: 'Clear dates' }).click();
  await expect(page).toHaveURL(path);
  await expect(dates(page)).toHaveAttribute('placeholder', 'Search between dates');
  await expect(tableOf(page)).toHaveAttribute('aria-rowcount', '-1');

  await page.keyboard.press('Escape');
  await dates(page).click();
  await page.locator('.flatpickr-day.today').first().click();
  await page.locator('.flatpickr-day.today').first().click();
  await expect(page).toHaveURL(/\?from=(\d{4}-\d\d-\d\d)&to=\1$/);
  await expect(page.getByText('No files here.')).toBeVisible();
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await expect(fileLink(page, 0)).toBeVisible();
  await expect(page).toHaveURL(path);
});

test('a spinner while a filter loads and while the next page does; a failure is said, with a way on', async ({
  page,
  server,
}) => {
  await enterFull(page, server, { count: 120 });
  await expect(fileLink(page, 0)).toBeVisible();
  const lists = /\/files\/\w+\?.*limit=50/;
  const blockRequests = async () => {
    await page.route(lists, (route) => route.fulfill({ status: 429, body: '' }));
    return holdRequests(page, lists);
  };
  const release = await blockRequests();
  await choice(page, 'Image').click();
  await expect(page.getByRole('status', { name: 'Loading', exact: true })).toBeVisible();
  // The rows of the filter before stay until then, and are dimmed.
  await expect(fileLink(page, 3)).toBeVisible();
  release();
  await expect(page.getByText('An unexpected error occurred.')).toBeVisible();
  await page.unroute(lists);
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(fileLink(page, 0)).toBeVisible();

  await choice(page, 'Image').click();
  await expect(fileLink(page, 3)).toBeVisible();
  const releaseNext = await blockRequests();
  await fileLink(page, 0).focus();
  await page.keyboard.press('End');
  await expect(page.getByRole('status', { name: 'Loading more' })).toBeVisible();
  releaseNext();
  await page.getByRole('button', { name: 'Try again' }).waitFor();
  await expect(fileLink(page, 49)).toBeFocused();
  await page.unroute(lists);
  await page.getByRole('button', { name: 'Try again' }).click();
  await scrollToLast(page, 120);
});
