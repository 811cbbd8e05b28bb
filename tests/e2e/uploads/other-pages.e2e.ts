import type { Page } from '@playwright/test';
import { expect, test } from '../fixtures.ts';
import { expectSound } from '../support/look.ts';
import {
  enterBucket,
  makeShelf,
  openDialog,
  row,
  slowDown,
  TRICKLE,
  trayOf,
  UNLIMITED,
} from '../support/uploading.ts';

// It goes offline for a moment.
test.use({ expectedComplaints: /ERR_INTERNET_DISCONNECTED|WebSocket/ });

let shelf: Awaited<ReturnType<typeof makeShelf>>;
test.beforeAll(async () => {
  shelf = await makeShelf();
});

/** Marks the document, so that a page that was loaded anew can be told from it. */
async function markDocument(page: Page) {
  await page.evaluate(() => Reflect.set(window, 'isMarked', true));
  return () => page.evaluate(() => Reflect.get(window, 'isMarked') === true);
}

test('uploads go on while other pages of the dashboard are shown', async ({ page, server }) => {
  const { bucket } = await enterBucket(page, server);
  const dialog = await openDialog(page, 'Video');
  await dialog.getByLabel('Video', { exact: true }).setInputFiles(shelf.at('holiday.mp4'));
  await expect(dialog.getByRole('button', { name: '426x240' })).toBeVisible();
  const network = await slowDown(page, TRICKLE);
  await dialog.getByRole('button', { name: 'Upload', exact: true }).click();
  await dialog.getByRole('button', { name: 'Continue in background' }).click();
  const isSameDocument = await markDocument(page);
  const tray = trayOf(page).getByRole('listitem').filter({ hasText: 'holiday.mp4' });
  const side = page.getByRole('navigation', { name: 'Bucket' });

  await side.getByRole('link', { name: 'Settings' }).click();
  await expect(page).toHaveURL(`/dashboard/settings/${bucket.id}`);
  await expect(page).toHaveTitle(/Settings/);
  await expect(side.getByRole('link', { name: 'Settings' })).toHaveAttribute(
    'aria-current',
    'page',
  );
  await page.getByLabel('Bucket name').fill('Quay');
  await page.getByRole('button', { name: 'Save Changes' }).click();
  await expect(page.getByText('Settings saved.')).toBeVisible();
  await expectSound(page);

  await page.getByRole('link', { name: 'Dashboard' }).click();
  await expect(page).toHaveURL('/dashboard');
  await expect(page.getByRole('link', { name: 'Quay' })).toBeVisible();
  await page.goBack();
  await expect(page).toHaveURL(`/dashboard/settings/${bucket.id}`);
  await expect(page.getByLabel('Bucket name')).toHaveValue('Quay');
  await expect(tray).toBeVisible();

  await network.setOffline(true);
  await side.getByRole('link', { name: 'API Key' }).click();
  await expect(page.getByText('The page couldn’t be loaded.')).toBeVisible();
  await expect(page).toHaveURL(`/dashboard/settings/${bucket.id}`);
  await network.setOffline(false);

  // A key, and the picker, which is loaded when it is pointed at.
  await page.getByRole('main').click({ position: { x: 1, y: 1 } });
  await page.keyboard.press('g');
  await page.keyboard.press('f');
  await expect(page).toHaveURL(`/dashboard/files/${bucket.id}`);
  await page.getByRole('button', { name: 'Bucket: Quay' }).click();
  await expect(page.getByRole('option', { name: 'Quay' })).toBeVisible();
  await page.keyboard.press('Escape');
  expect(await isSameDocument()).toBe(true);

  await network.setRate(UNLIMITED);
  await expect(row(page, 'holiday.mp4')).toContainText('Success');
  await expect(tray).toBeHidden();
  await side.getByRole('link', { name: 'API Key' }).click();
  await expect(page.getByRole('heading', { name: 'API Key' })).toBeVisible();
  expect(await isSameDocument()).toBe(false);
});
