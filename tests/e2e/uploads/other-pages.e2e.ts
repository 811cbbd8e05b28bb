import type { Page } from '@playwright/test';
import { expect, test } from '../fixtures.ts';
import { holdRequests } from '../support/hold-requests.ts';
import { pressTogether } from '../support/keyboard.ts';
import { expectSound } from '../support/look.ts';
import { markDocument } from '../support/same-document.ts';
import { expectToast } from '../support/toasts.ts';
import {
  enterBucket,
  makeShelf,
  openDialog,
  row,
  slowDown,
  TRICKLE,
  trayRow,
  UNLIMITED,
} from '../support/uploading.ts';

// It goes offline for a moment.
test.use({ expectedComplaints: /ERR_INTERNET_DISCONNECTED|WebSocket/ });

let shelf: Awaited<ReturnType<typeof makeShelf>>;
test.beforeAll(async () => {
  shelf = await makeShelf();
});

/** Types into a field as soon as the document shows another page. */
const typeAtOnce = (page: Page, label: string, text: string) =>
  page.evaluate(
    ([label, text]) =>
      document.addEventListener(
        'wharf:content',
        () => {
          const labels = [...document.querySelectorAll('label')];
          const field = labels.find(({ textContent }) => textContent === label)?.control;
          if (!(field instanceof HTMLInputElement)) throw new Error(`there is no field ${label}`);
          field.focus();
          field.select();
          document.execCommand('insertText', false, text);
        },
        { once: true },
      ),
    [label, text] as const,
  );

test('uploads go on while other pages of the dashboard are shown', async ({ page, server }) => {
  const { bucket } = await enterBucket(page, server);
  const dialog = await openDialog(page, 'Video');
  await dialog.getByLabel('Video', { exact: true }).setInputFiles(shelf.at('holiday.mp4'));
  await expect(dialog.getByRole('button', { name: '426x240' })).toBeVisible();
  const network = await slowDown(page, TRICKLE);
  await dialog.getByRole('button', { name: 'Upload', exact: true }).click();
  const isSameDocument = await markDocument(page);
  const tray = trayRow(page, 'holiday.mp4');
  const side = page.getByRole('navigation', { name: 'Bucket' });

  await typeAtOnce(page, 'Bucket name', 'Quay');
  const loadCode = await holdRequests(page, '**/assets/**');
  const codeRequest = page.waitForRequest('**/assets/**');
  await side.getByRole('link', { name: 'Settings' }).click();
  await codeRequest;
  await expect(page).toHaveURL(`/dashboard/files/${bucket.id}`);
  loadCode();
  await expect(page).toHaveURL(`/dashboard/settings/${bucket.id}`);
  await expect(page).toHaveTitle(/Settings/);
  await expect(side.getByRole('link', { name: 'Settings' })).toHaveAttribute(
    'aria-current',
    'page',
  );
  await expect(page.getByLabel('Bucket name')).toHaveValue('Quay');
  await page.getByRole('button', { name: 'Save Changes' }).click();
  await expectToast(page, 'Settings saved.');
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
  await expectToast(page, 'The page couldn’t be loaded.');
  await expect(page).toHaveURL(`/dashboard/settings/${bucket.id}`);
  await network.setOffline(false);

  // A key, and the picker, which is loaded when it is pointed at.
  await page.getByRole('main').click({ position: { x: 1, y: 1 } });
  await pressTogether(page, 'gf');
  await expect(page).toHaveURL(`/dashboard/files/${bucket.id}`);
  await page.getByRole('button', { name: 'Bucket: Quay' }).click();
  await expect(page.getByRole('option', { name: 'Quay' })).toBeVisible();
  await page.keyboard.press('Escape');
  expect(await isSameDocument()).toBe(true);

  await network.setRate(UNLIMITED);
  await expect(row(page, 'holiday.mp4')).toContainText('Success');
  await expect(tray).toContainText('Ready.');
});
