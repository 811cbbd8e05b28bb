import { uploadImage } from '../../support/client/api.ts';
import { makePhoto } from '../../support/fixtures/make-media.ts';
import { expect, test } from '../fixtures.ts';
import { expectHydrated } from '../support/expect-hydrated.ts';
import { tabTo } from '../support/keyboard.ts';
import { expectSound } from '../support/look.ts';
import { enterFull } from '../support/many-files.ts';

test('the dashboard shows what the account stores and its newest files, which a key opens', async ({
  page,
  server,
}) => {
  await enterFull(page, server, { count: 8 });
  await page.goto('/dashboard');
  const main = page.locator('main');
  await expect(main.getByText('Bandwidth this month')).toBeVisible();
  // No payment method is configured, so there is nothing to top up.
  await expect(main.getByText('Balance', { exact: true })).toBeHidden();
  const recent = page.getByRole('region', { name: 'Recent files' });
  await expect(recent.getByRole('listitem')).toHaveCount(6);
  await expectSound(page);

  const newest = recent.getByRole('link').first();
  const name = (await newest.textContent()) ?? '';
  await tabTo(page, newest);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/dashboard\/files\/[^/]+\?file=/);
  await expect(page.getByRole('dialog', { name })).toBeVisible();
});

test('what a program uploads is on the dashboard without a reload', async ({ page, server }) => {
  const { bucket } = await enterFull(page, server, { count: 2 });
  await page.goto('/dashboard');
  await expectHydrated(page, 'home');
  await expect(page.getByText('2 files', { exact: true })).toBeVisible();
  const bytes = new Uint8Array(await makePhoto());
  await uploadImage(server, bucket, new File([bytes], 'fresh.jpg', { type: 'image/jpeg' }));
  const recent = page.getByRole('region', { name: 'Recent files' });
  await expect(recent.getByRole('link').first()).toHaveText('fresh.jpg');
  await expect(page.getByText('3 files', { exact: true })).toBeVisible();
});
