import { expect, test } from '../fixtures.ts';
import { expectSound } from '../support/look.ts';
import { enterFull, fileLink } from '../support/many-files.ts';

test('files are shown as a grid that loads as one scrolls, with keys, selection and the order', async ({
  page,
  server,
}) => {
  const { path } = await enterFull(page, server, { count: 400 });
  await page.getByRole('button', { name: 'Grid view' }).click();
  await expect(page).toHaveURL(`${path}?view=grid`);
  const cards = page.locator('[data-card]');
  await expect(fileLink(page, 0)).toBeVisible();
  await expectSound(page);
  await page.reload();
  await fileLink(page, 0).focus();
  await page.keyboard.press('ArrowRight');
  await expect(fileLink(page, 1)).toBeFocused();
  await page.keyboard.press('Space');
  await page.keyboard.press('Shift+ArrowRight');
  await expect(fileLink(page, 2)).toBeFocused();
  const bar = page.getByRole('toolbar', { name: 'Selected files' });
  await expect(bar.getByRole('status')).toContainText('2 selected');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog', { name: /file-00002/ })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(fileLink(page, 2)).toBeFocused();

  await page.keyboard.press('End');
  await expect(fileLink(page, 399)).toBeFocused();
  await expect(fileLink(page, 399)).toBeInViewport();
  await expect(page.getByText('All 400 rows loaded.')).toBeAttached();
  expect(await cards.count()).toBeLessThan(120);
  await page.keyboard.press('Home');
  await expect(fileLink(page, 0)).toBeFocused();
  await page.getByRole('button', { name: 'Sort by: Date' }).click();
  await page.getByRole('menuitemradio', { name: 'Size' }).click();
  await expect(page).toHaveURL(`${path}?sort=size&view=grid`);
  await page.getByRole('button', { name: 'Folders' }).click();
  await expect(page).toHaveURL(`${path}?folder=&sort=size&view=grid`);
  await expect(cards.first()).toBeVisible();
});
