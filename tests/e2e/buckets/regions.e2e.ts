import { expect, test } from '../fixtures.ts';
import { press } from '../support/keyboard.ts';
import { expectSound } from '../support/look.ts';
import { enter } from '../support/people.ts';

test('where regions have storage of their own, one is chosen for a new bucket, and let go', async ({
  page,
  server,
}) => {
  // A storage of its own takes another service, which tests of the API have.
  await page.route('**/buckets/regions', (route) =>
    route.fulfill({ json: { regions_with_storage: ['OC'] } }),
  );
  await enter(page, server, '/dashboard');
  await press(page, page.getByRole('button', { name: 'Create Bucket' }).first());
  const dialog = page.getByRole('dialog', { name: 'Create Bucket' });
  await expect(dialog.getByText('Regions with their own storage: Oceania.')).toBeVisible();
  await expectSound(page, dialog);
  const pressed = dialog.locator('[aria-pressed=true]');
  const region = dialog.getByRole('button', { name: /Oceania/ });
  await dialog.getByRole('button', { name: /Western Europe/ }).click();
  await region.click();
  await expect(pressed).toHaveText(/Oceania/);
  await region.click();
  await expect(pressed).toHaveCount(0);
  await region.click();
  await dialog.getByLabel('Name').fill('Reef');
  await dialog.getByRole('button', { name: 'Create', exact: true }).click();
  await expect(page).toHaveURL(/\/dashboard\/files\//);
});
