import { expect, test } from '../fixtures.ts';
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
