import { expect, test } from '../fixtures.ts';
import { expectSound } from '../support/look.ts';
import { enterFull, fileLink, tableOf } from '../support/many-files.ts';
import { enterBucket, row } from '../support/uploading.ts';

test('files are searched and sorted, and the URL keeps both', async ({ page, server }) => {
  const { path } = await enterFull(page, server, { count: 60 });
  await expect(fileLink(page, 0)).toBeVisible();
  await page.keyboard.press('/');
  const field = page.getByRole('searchbox', { name: 'Search files' });
  await expect(field).toBeFocused();
  await field.fill('FILE-0001');
  await expect(page).toHaveURL(`${path}?q=FILE-0001`);
  await expect(tableOf(page)).toHaveAttribute('aria-rowcount', '11');
  await page.getByRole('button', { name: 'Name' }).click();
  await expect(page).toHaveURL(`${path}?q=FILE-0001&sort=name`);
  // The paths of these files begin with their ids, of which the oldest has the highest number.
  const names = page.locator('tbody').getByRole('link');
  await expect(names.first()).toHaveText(/^file-00019/);
  await expect(page.getByRole('columnheader', { name: 'Name' })).toHaveAttribute(
    'aria-sort',
    'ascending',
  );
  await page.getByRole('button', { name: 'Name' }).click();
  await expect(names.first()).toHaveText(/^file-00010/);
  await expectSound(page);
  await page.reload();
  await expect(names.first()).toHaveText(/^file-00010/);
  await expect(field).toHaveValue('FILE-0001');
  await page.goBack();
  await expect(names.first()).toHaveText(/^file-00019/);

  await field.fill('nowhere');
  await expect(page.getByText('No file matches this search.')).toBeVisible();
  await page.getByRole('button', { name: 'Clear search' }).click();
  await expect(page).toHaveURL(path);
  await expect(fileLink(page, 0)).toBeVisible();
  await page.getByRole('button', { name: 'Size' }).click();
  await expect(page).toHaveURL(`${path}?sort=size`);
  await page.setViewportSize({ width: 390, height: 900 });
  // On a phone the filters are behind a button, so that search, views and files fit.
  const filters = page.getByRole('button', { name: 'Show filters', exact: true });
  await expect(page.getByLabel('Search between dates')).toBeHidden();
  const controls = page.getByRole('search').getByRole('button');
  const tops = new Set<number>();
  for (const control of await controls.filter({ visible: true }).all())
    tops.add(Math.round((await control.boundingBox())?.y ?? 0));
  expect(tops.size).toBe(1);
  await filters.click();
  await expect(page.getByLabel('Search between dates')).toBeVisible();
  await expectSound(page, page.getByRole('search'));
  await page.setViewportSize({ width: 390, height: 900 });
  await page.getByRole('button', { name: 'Sort by: Size' }).click();
  await page.getByRole('menuitemradio', { name: 'Date' }).click();
  await expect(page).toHaveURL(path);
  await page.getByRole('button', { name: 'Video', exact: true }).click();
  await expect(page.getByRole('button', { name: 'Show filters, 1 filter set' })).toBeVisible();
});

test('a search in a folder finds what is below it, and a folder is sorted', async ({
  page,
  server,
}) => {
  const { bucket, token } = await enterBucket(page, server);
  for (const path of [
    'trips/2026/plan-a.txt',
    'trips/plan-bb.txt',
    'trips/notes.txt',
    'plan.txt',
  ]) {
    const form = new FormData();
    form.set('path', path);
    form.set('file', new Blob([path]), 'a.txt');
    const response = await fetch(`${server.url}/files/upload/file/${bucket.id}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: form,
    });
    expect(response.status).toBe(201);
  }
  await page.goto(`/dashboard/files/${bucket.id}?folder=trips%2F`);
  const names = page.locator('tbody').getByRole('link');
  await expect(names).toHaveText(['2026', 'notes.txt', 'plan-bb.txt']);
  await page.getByRole('button', { name: 'Size' }).click();
  await expect(names).toHaveText(['2026', 'plan-bb.txt', 'notes.txt']);
  await page.getByRole('searchbox', { name: 'Search files' }).fill('PLAN');
  await expect(row(page, 'plan-a.txt')).toBeVisible();
  await expect(names).toHaveCount(2);
  await expect(page).toHaveURL(/\?folder=trips%2F&q=PLAN&sort=size$/);
  await page.reload();
  await expect(names).toHaveCount(2);
  await page.getByRole('navigation', { name: 'Folder' }).getByRole('link', { name: 'All' }).click();
  await expect(names).toHaveText(['trips', 'plan.txt']);
});

test('a folder that is too large to be sorted says so', async ({ page, server }) => {
  const { bucket } = await enterBucket(page, server);
  const text = 'A folder of more than 10,000 entries can be sorted by name only.';
  await page.route(/files\/folder\/.*sort=size/, (route) =>
    route.fulfill({ status: 400, body: text }),
  );
  await page.goto(`/dashboard/files/${bucket.id}?folder=&sort=size`);
  await expect(page.getByText(text)).toBeVisible();
  await page.getByRole('button', { name: 'Sort by name' }).click();
  await expect(page.getByText('This folder is empty.')).toBeVisible();
});
