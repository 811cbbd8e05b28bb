import type { Page } from '@playwright/test';
import sharp from 'sharp';
import { expect, test } from '../fixtures.ts';
import { pauseClock } from '../support/clock.ts';
import { expectHydrated } from '../support/expect-hydrated.ts';
import { enterBucket, openDialog } from '../support/uploading.ts';

const MISMATCH = "The passwords you entered don't match. Please try again.";
const toast = (page: Page) => page.locator('[data-sonner-toast]');

/** Has the toasts loaded, as they are when the pointer moves. A clock that is paused before would keep them from showing. */
async function expectToastsLoaded(page: Page) {
  await page.mouse.move(1, 1);
  await expect(page.locator('#toasts')).toBeAttached();
}

/** Returns the brightness of the visible toast, without its corners, through which the page shows. */
async function brightness(page: Page) {
  const picture = sharp(await toast(page).screenshot());
  const { width, height } = await picture.metadata();
  const inside = { left: 12, top: 12, width: width - 24, height: height - 24 };
  const { channels } = await sharp(await picture.extract(inside).toBuffer()).stats();
  return channels.reduce((sum, { mean }) => sum + mean, 0);
}

test('an error stands under its field, and goes with its toast when the field is changed', async ({
  page,
}) => {
  await page.clock.install();
  await page.goto('/signup');
  await expectHydrated(page, 'signup');
  await page.getByLabel('Email').fill('twice@example.com');
  await page.getByLabel(/^Password/).fill('a harbour at work');
  const confirmation = page.getByLabel(/^Confirm/);
  await confirmation.fill('another harbour');
  await expectToastsLoaded(page);
  // The toast would go by itself after four seconds.
  await pauseClock(page);
  await page.locator('button[type=submit]').click();
  await page.clock.runFor(100);
  await expect(toast(page)).toHaveText(MISMATCH);
  await expect(confirmation).toHaveAccessibleDescription(MISMATCH);
  await confirmation.fill('a harbour at work');
  await page.clock.runFor(1_000);
  await expect(page.getByRole('alert')).toHaveCount(0);
  await expect(page.locator('[data-sonner-toast][data-removed=false]')).toHaveCount(0);
});

test('a toast stays bright above a dialog that is opened after it; a file without bytes is called empty', async ({
  page,
  server,
}) => {
  await page.clock.install();
  await enterBucket(page, server);
  await expectHydrated(page, 'files');
  await expectToastsLoaded(page);
  await pauseClock(page);
  await page.getByRole('button', { name: /^Copy/ }).first().click();
  await expect.poll(() => page.clock.runFor(10).then(() => toast(page).count())).toBe(1);
  await page.clock.runFor(500);
  await expect(toast(page)).toBeVisible();
  const before = await brightness(page);
  const dialog = await openDialog(page, 'Image');
  expect(Math.abs((await brightness(page)) - before)).toBeLessThan(3);

  const empty = { name: 'empty.jpg', mimeType: 'image/jpeg', buffer: Buffer.alloc(0) };
  const image = dialog.getByLabel('Image', { exact: true });
  await image.setInputFiles(empty);
  await expect(image).toHaveAccessibleDescription(/empty\.jpg is empty\.$/);
});
