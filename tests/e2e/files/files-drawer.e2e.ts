import { expect, test } from '../fixtures.ts';
import { expectHydrated } from '../support/expect-hydrated.ts';
import { pressTogether } from '../support/keyboard.ts';
import { expectSound } from '../support/look.ts';
import { enterFull, fileLink, tableOf } from '../support/many-files.ts';

test('Enter or a click right after Escape is not lost: the details open again, and a link leads on', async ({
  page,
  server,
}) => {
  const { path, bucket, rows } = await enterFull(page, server, { count: 1 });
  await expectHydrated(page, 'files');
  const drawer = page.getByRole('dialog', { name: 'file-00000.jpg' });
  const depth = () => page.evaluate(() => history.length);
  // The focus returns to the link.
  await fileLink(page, 0).press('Enter');
  await expect(drawer).toBeVisible();
  const before = await depth();
  await pressTogether(page, ['Escape', 'Enter']);
  await expect(page).toHaveURL(`${path}?file=${rows[0]?.id}`);
  await expect(drawer).toBeVisible();
  expect(await depth()).toBe(before);
  await page.goBack();
  await expect(drawer).toBeHidden();
  await expect(page).toHaveURL(path);

  await fileLink(page, 0).press('Enter');
  await expect(drawer).toBeVisible();
  const box = await page.getByRole('link', { name: 'Settings' }).boundingBox();
  await page.mouse.move((box?.x ?? 0) + 10, (box?.y ?? 0) + 10);
  // They are sent together, so that the click comes before the browser's 'close' event.
  await Promise.all([page.keyboard.press('Escape'), page.mouse.down(), page.mouse.up()]);
  await expect(page).toHaveURL(`/dashboard/settings/${bucket.id}`);
  await expect(page.getByLabel('Bucket name')).toBeVisible();
});

test('a click anywhere in a row opens its file, and J and K the next and the previous one', async ({
  page,
  server,
}) => {
  const { path } = await enterFull(page, server, { count: 3 });
  await expectHydrated(page, 'files');
  const drawer = (at: number) => page.getByRole('dialog', { name: `file-0000${at}` });
  const row = tableOf(page)
    .getByRole('row')
    .filter({ has: fileLink(page, 0) });
  await row.getByRole('cell').filter({ hasText: /iB/ }).click();
  await expect(drawer(0)).toBeVisible();
  await page.keyboard.press('k');
  await expect(page.getByRole('button', { name: 'Previous', exact: true })).toBeDisabled();
  await page.keyboard.press('j');
  await expect(drawer(1)).toBeVisible();
  await page.getByRole('button', { name: 'Next', exact: true }).click();
  await expect(drawer(2)).toBeVisible();
  await expectSound(page, drawer(2));
  await page.keyboard.press('j');
  await page.keyboard.press('k');
  await expect(drawer(1)).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expect(page).toHaveURL(path);
});
