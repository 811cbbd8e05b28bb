import type { Request } from '@playwright/test';
import { expect, test } from '../fixtures.ts';
import { enter } from '../support/people.ts';

test('where nobody takes payments, both buttons are off whatever is typed, and the page says why', async ({
  page,
  server,
}) => {
  const requests: string[] = [];
  page.on('request', (request: Request) => requests.push(request.url()));
  await enter(page, server, '/billing');
  const amount = page.getByLabel('Amount in USD');
  await amount.fill('20');
  // A page that handles a click is hydrated, and has restored what was typed before.
  const saving = page.waitForEvent('download');
  await page
    .getByRole('button', { name: /^Download the CSV of / })
    .first()
    .click();
  await saving;
  await expect(amount).toHaveValue('20');
  for (const name of ['Pay with Card', 'Pay with Crypto']) {
    await expect(page.getByRole('button', { name })).toBeDisabled();
  }
  await expect(page.getByRole('region', { name: 'Add Founds' })).toContainText(
    'Payments aren’t enabled on this server. Your buckets stay active; ask your admin for credit.',
  );
  await expect(page.getByRole('group', { name: 'Amounts' })).toHaveCount(0);
  await amount.press('Enter');
  await expect(page).toHaveURL('/billing');
  expect(requests.filter((url) => url.includes('/checkout/'))).toEqual([]);
  await expect(page.locator('[data-sonner-toast]')).toHaveCount(0);
});
