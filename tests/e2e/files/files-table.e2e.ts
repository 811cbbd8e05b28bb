import { updateFiles } from '../../support/fixtures/file-rows.ts';
import { expect, test } from '../fixtures.ts';
import { tabTo } from '../support/keyboard.ts';
import { expectNothingAside, expectSound } from '../support/look.ts';
import {
  enterFull,
  fileLink,
  rowsInPage,
  scrollToLast,
  tableOf,
  watchLists,
} from '../support/many-files.ts';
import { layoutShift } from '../support/shift.ts';

const MAX_ROWS = 60;

test('a long list loads as one scrolls, each page once, and few of its rows are in the page', async ({
  page,
  server,
}) => {
  const { rows } = await enterFull(page, server, { count: 200 });
  const queries = watchLists(page);
  await expect(tableOf(page)).toHaveAttribute('aria-rowcount', '-1');
  const head = page.getByRole('columnheader', { name: 'Size' });
  const box = page.getByRole('region', { name: 'Files in this bucket' });
  // At the end of the list, the wheel may scroll the page a little.
  const below = async () =>
    ((await head.boundingBox())?.y ?? 0) - ((await box.boundingBox())?.y ?? 0);
  const top = await below();
  await expect(page.getByRole('columnheader')).toHaveText([
    'Name',
    'Size',
    'File type',
    'Access control',
    'Status',
    'Created at',
    'Actions',
  ]);
  const fifth = page.getByRole('row').nth(5);
  expect((await fifth.boundingBox())?.height).toBe(40);
  await expect(fifth.getByRole('cell').nth(0)).toHaveText('file-00004.jpg');
  await expect(fifth.getByRole('cell').nth(1)).toHaveText('5.00 KiB');
  expect(await scrollToLast(page, 200)).toBeLessThan(MAX_ROWS);
  await expect(tableOf(page)).toHaveAttribute('aria-rowcount', '201');
  const last = page.getByRole('row').filter({ has: fileLink(page, 199) });
  await expect(last).toHaveAttribute('aria-rowindex', '201');
  await expect(last).toContainText('200.00 KiB');
  expect(await below()).toBe(top);
  const cursors = [49, 99, 149].map((at) => `cursor=${rows[at]?.id}`);
  expect(queries).toEqual(cursors);
});

test('one row is a stop of the Tab key; arrows, Page, Home and End lead to the others', async ({
  page,
  server,
}) => {
  await enterFull(page, server, { count: 120 });
  const drawer = page.getByRole('dialog', { name: 'file-00002.jpg' });
  await expect(fileLink(page, 0)).toBeVisible();
  await tabTo(page, fileLink(page, 0));
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await expect(fileLink(page, 2)).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(drawer).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(drawer).toBeHidden();
  await expect(fileLink(page, 2)).toBeFocused();

  const menuOf = (name: string) => page.getByRole('button', { name: `Actions for ${name}` });
  await page.keyboard.press('Tab');
  await expect(menuOf('file-00002.jpg')).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await expect(menuOf('file-00003.mp4')).toBeFocused();
  await page.keyboard.press('Enter');
  await page.keyboard.press('ArrowDown');
  await expect(page.getByRole('menuitem', { name: 'Open' })).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(menuOf('file-00003.mp4')).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('menuitem', { name: 'Details' })).toBeFocused();
  await page.keyboard.press('Tab');
  await expect(page.getByRole('menuitem')).toHaveCount(0);
  await expect(page.locator('tbody :focus')).toHaveCount(0);
  await page.keyboard.press('Shift+Tab');
  await expect(menuOf('file-00003.mp4')).toBeFocused();

  await page.keyboard.press('PageDown');
  await expect(page.locator('tbody :focus')).not.toHaveAttribute('aria-label', /file-00003/);
  // This focuses the last loaded row until all rows are loaded.
  await expect
    .poll(async () => {
      await page.keyboard.press('End');
      return menuOf('file-00119.mp4').and(page.locator(':focus')).count();
    })
    .toBe(1);
  await expect(menuOf('file-00119.mp4')).toBeInViewport();
  await page.keyboard.press('Home');
  await expect(menuOf('file-00000.jpg')).toBeFocused();
  await expect(menuOf('file-00000.jpg')).toBeInViewport();
  expect(await rowsInPage(page)).toBeLessThan(MAX_ROWS);

  // The row with the focus stays while others are scrolled away.
  await fileLink(page, 1).focus();
  await scrollToLast(page, 120);
  await expect(fileLink(page, 1)).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await expect(fileLink(page, 2)).toBeFocused();
  await expect(fileLink(page, 2)).toBeInViewport();
});

test('below 768 px rows are cards, which the page scrolls', async ({ page, server }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await enterFull(page, server, { count: 200 });
  const card = page.getByRole('row').filter({ has: fileLink(page, 1) });
  expect((await card.boundingBox())?.height).toBe(88);
  await expect(card).toContainText('Success');
  const menu = page.getByRole('button', { name: 'Actions for file-00001.jpg' });
  await menu.click();
  await expect(page.getByRole('menuitem', { name: 'Copy URL' })).toBeVisible();
  await page.keyboard.press('Escape');
  expect(await scrollToLast(page, 200)).toBeLessThan(MAX_ROWS);
  expect(await page.evaluate(() => scrollY)).toBeGreaterThan(150 * 88);
  // The test uses a key, because the list may still be scrolling under a click.
  await fileLink(page, 199).press('Enter');
  await expect(page.getByRole('dialog', { name: 'file-00199.mp4' })).toBeVisible();
});

test('at every width the menus of the rows are in the window, and a place in the queue overlaps no date', async ({
  page,
  server,
}) => {
  const { bucket, rows } = await enterFull(page, server, { count: 3 });
  await updateFiles(server.dataDir, [rows[1]?.id ?? ''], { status: 'processing' });
  await page.route(`**/files/${bucket.id}?*`, async (route) => {
    const response = await route.fetch();
    const list = await response.json();
    for (const file of list.data)
      if (file.status === 'processing')
        Object.assign(file, { queue_position: 100, queue_seconds: 60 * 75 });
    await route.fulfill({ response, json: list });
  });
  await page.reload();
  const place = page.getByText('no. 100, about 75 min');
  await expect(place).toBeVisible();
  for (const width of [320, 512, 720, 768, 1024, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    await expectNothingAside(page);
    const menu = page.getByRole('button', { name: 'Actions for file-00001.' });
    await expect(menu, `${width} px`).toBeInViewport({ ratio: 1 });
    const row = page.getByRole('row').filter({ has: place });
    const [text, date] = await Promise.all([
      place.boundingBox(),
      row.locator('time').boundingBox(),
    ]);
    const isOneLine = await place.evaluate((it) => it.scrollWidth <= it.clientWidth);
    expect(isOneLine, `${width} px`).toBe(true);
    if (date) expect((text?.x ?? 0) + (text?.width ?? 0), `${width} px`).toBeLessThan(date.x);
  }
});

test('a page that was left scrolled opens where it was, and nothing of it shifts', async ({
  page,
  server,
}) => {
  const { path } = await enterFull(page, server, { count: 60 });
  for (const width of [390, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    await page.goto(path);
    await expect.poll(() => rowsInPage(page)).toBeLessThan(45);
    const { sum, shifted } = await layoutShift(page);
    expect(sum, `${width} px: ${shifted.join()}`).toBe(0);
  }
  await page.setViewportSize({ width: 390, height: 844 });
  await page.mouse.move(200, 700);
  await page.mouse.wheel(0, 1500);
  await expect.poll(() => page.evaluate(() => scrollY)).toBe(1500);
  await page.reload();
  await expect.poll(() => page.evaluate(() => scrollY)).toBe(1500);
  await layoutShift(page);
  expect(await page.evaluate(() => scrollY)).toBe(1500);
});

test('table, cards and filters are sound: axe in both themes, every width', async ({
  page,
  server,
}) => {
  const { rows } = await enterFull(page, server, { count: 12, query: '?access=public' });
  const ids = rows.slice(0, 2).map(({ id }) => id);
  const reason = 'The file is not a JPEG, PNG, WebP, GIF or SVG image of a kind that is accepted.';
  await updateFiles(server.dataDir, ids.slice(0, 1), { status: 'error', error: reason });
  await updateFiles(server.dataDir, ids.slice(1), { status: 'processing' });
  await page.reload();
  const error = page.getByText('Error', { exact: false }).first();
  await expect(error).toBeVisible();
  await expectSound(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await expectSound(page, page.getByRole('main'));
});
