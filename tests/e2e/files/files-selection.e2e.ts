import { expect, test } from '../fixtures.ts';
import { expectSound } from '../support/look.ts';
import { enterFull, fileLink, tableOf } from '../support/many-files.ts';
import { expectToast } from '../support/toasts.ts';
import { enterBucket, row } from '../support/uploading.ts';

test('files are selected with the keyboard and the pointer, and deleted together', async ({
  page,
  server,
}) => {
  await enterFull(page, server, { count: 60 });
  const bar = page.getByRole('toolbar', { name: 'Selected files' });
  const count = (text: string) => expect(bar.getByRole('status')).toContainText(text);
  await fileLink(page, 2).focus();
  const top = await fileLink(page, 5).boundingBox();
  await page.keyboard.press('Space');
  await count('1 selected');
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Shift+ArrowDown');
  await count('3 selected');
  await expect(fileLink(page, 4)).toBeFocused();
  await page.keyboard.press('Shift+ArrowUp');
  await count('2 selected');
  expect(await fileLink(page, 5).boundingBox()).toEqual(top);
  await expectSound(page);

  await page.getByRole('checkbox', { name: /file-00006/ }).click({ modifiers: ['Shift'] });
  await count('5 selected');
  await page.getByRole('checkbox', { name: /file-00004/ }).click();
  await count('4 selected');
  await page.keyboard.press('Escape');
  await expect(bar).toBeHidden();
  await fileLink(page, 0).focus();
  await page.keyboard.press('ControlOrMeta+a');
  await count('50 selected');
  await page.getByRole('button', { name: 'Clear selection' }).click();
  await expect(bar).toBeHidden();

  await fileLink(page, 1).focus();
  await page.keyboard.press('Space');
  await page.keyboard.press('Shift+ArrowDown');
  await page.getByRole('button', { name: 'More actions for the selected files' }).click();
  await page.getByRole('menuitem', { name: 'Make private' }).click();
  await expectToast(page, '2 files are private now.');
  await expect(page.locator('tr[data-selected]')).toHaveText([/Private/, /Private/]);
  await fileLink(page, 2).focus();
  await page.keyboard.press('Delete');
  const dialog = page.getByRole('dialog', { name: 'Delete files' });
  await expect(dialog).toContainText('2 files');
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await expectToast(page, '2 files were deleted.');
  await expect(fileLink(page, 1)).toHaveCount(0);
  await expect(fileLink(page, 2)).toHaveCount(0);
  await expect(fileLink(page, 3)).toBeVisible();
  await page.reload();
  await expect(fileLink(page, 3)).toBeVisible();
  await expect(fileLink(page, 1)).toHaveCount(0);

  await page.setViewportSize({ width: 390, height: 900 });
  await page.getByRole('button', { name: /Actions for file-00003/ }).click();
  await page.getByRole('menuitem', { name: 'Select' }).click();
  await count('1 selected');
  await expect(page.getByRole('checkbox', { name: /file-00004/ })).toBeVisible();
  await expect(tableOf(page)).toBeVisible();
});

test('a file is renamed in its row, and files are moved into a folder of the tree or a new one', async ({
  page,
  server,
}) => {
  const { bucket, token, files } = await enterBucket(page, server);
  for (const path of ['a.txt', 'b.txt', 'trips/2026/c.txt', 'd.txt']) {
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
  const pathsOf = async () => (await files()).map(({ path }) => path).toSorted();
  await page.goto(`/dashboard/files/${bucket.id}?folder=`);
  const link = (name: string) => page.getByRole('link', { name, exact: true });
  const field = page.getByRole('textbox', { name: /New name of/ });
  await link('a.txt').focus();
  await page.keyboard.press('F2');
  await expect(field).toBeFocused();
  await page.keyboard.type('new');
  await page.keyboard.press('Escape');
  await expect(link('a.txt')).toBeFocused();
  await page.keyboard.press('F2');
  await field.fill('b.txt');
  await page.keyboard.press('Enter');
  await expectToast(page, 'Another file is at this path.');
  await expect(field).toHaveAttribute('aria-invalid', 'true');
  await field.fill('first.txt');
  await page.keyboard.press('Enter');
  await expect(link('first.txt')).toBeFocused();
  expect(await pathsOf()).toEqual(['b.txt', 'd.txt', 'first.txt', 'trips/2026/c.txt']);

  await page.keyboard.press('Space');
  await page.getByRole('checkbox', { name: 'Select b.txt' }).check();
  await page.getByRole('toolbar').getByRole('button', { name: 'Move' }).click();
  const dialog = page.getByRole('dialog', { name: 'Move' });
  await expectSound(page, dialog);
  const folder = (name: string) => dialog.getByRole('treeitem', { name });
  await folder('All folders').focus();
  await page.keyboard.press('ArrowDown');
  await expect(folder('trips')).toBeFocused();
  await page.keyboard.press('ArrowRight');
  await expect(folder('2026')).toBeVisible();
  await page.keyboard.press('ArrowRight');
  await expect(folder('2026')).toBeFocused();
  await expect(dialog.getByLabel('Folder', { exact: true })).toHaveValue('trips/2026');
  await dialog.getByRole('button', { name: 'Move' }).click();
  await expectToast(page, '2 files moved to trips/2026.');
  await expect(link('b.txt')).toHaveCount(0);

  await page.getByRole('button', { name: 'Actions for d.txt' }).click();
  await page.getByRole('menuitem', { name: 'Move' }).click();
  await dialog.getByLabel('Folder', { exact: true }).fill('/fresh/place/');
  await page.keyboard.press('Enter');
  await expectToast(page, 'd.txt moved to fresh/place.');
  await expect(row(page, 'fresh')).toBeVisible();
  await link('trips').click();
  await link('2026').click();
  await link('b.txt').dragTo(
    page.getByRole('navigation', { name: 'Folder' }).getByRole('link', { name: 'trips' }),
  );
  await expectToast(page, 'b.txt moved to trips.');
  await page
    .getByRole('navigation', { name: 'Folder' })
    .getByRole('link', { name: 'trips' })
    .click();
  await link('b.txt').dragTo(link('2026'));
  await expectToast(page, 'b.txt moved to trips/2026.');
  await expect(link('b.txt')).toHaveCount(0);
  expect(await pathsOf()).toEqual([
    ...['fresh/place/d.txt', 'trips/2026/b.txt', 'trips/2026/c.txt', 'trips/2026/first.txt'],
  ]);
});
