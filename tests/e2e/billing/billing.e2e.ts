import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { formatDay } from '../../../server/contract/dates/format.ts';
import { DAY } from '../../../server/contract/limits.ts';
import { createBucket } from '../../support/client/api.ts';
import { inDatabase } from '../../support/fixtures/file-rows.ts';
import type { ServerProcess } from '../../support/server/server-process.ts';
import { expect } from '../fixtures.ts';
import { expectHydrated } from '../support/expect-hydrated.ts';
import { expectNothingAside, expectSound } from '../support/look.ts';
import { test } from '../support/payments.ts';
import { enter } from '../support/people.ts';
import { expectToast } from '../support/toasts.ts';

const amount = (page: Page) => page.getByLabel('Amount in USD');
const card = (page: Page) => page.getByRole('button', { name: 'Pay with Card' });
const crypto = (page: Page) => page.getByRole('button', { name: 'Pay with Crypto' });
const notice = (page: Page) => page.getByRole('status').filter({ hasText: '$' });
const history = (page: Page) => page.getByRole('region', { name: 'Payments' });
const inBar = (page: Page) => page.locator('header').getByRole('link', { name: /^Billing/ });

/** Opens the billing page as a new user and waits until it is hydrated. */
async function open(page: Page, server: ServerProcess) {
  const session = await enter(page, server, '/billing');
  await expect(inBar(page)).toHaveText('Billing$1.00');
  await expectHydrated(page, 'billing');
  return session;
}

test('payments by card and crypto lead to the provider and back, and are in the balance, the bar and the history', async ({
  page,
  server,
  providers,
}) => {
  await open(page, server);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Billing');
  await expect(page.getByText(/^No payments yet/)).toBeVisible();
  expect((await history(page).boundingBox())?.height).toBe(400);
  await expect(card(page)).toBeDisabled();
  await expect(crypto(page)).toBeDisabled();

  await amount(page).fill('4.99');
  await card(page).click();
  await expectToast(page, 'The minimum top-up amount is $5.');
  await crypto(page).click();
  await expectToast(page, 'The minimum top-up amount is $5.');
  await expect(amount(page)).toHaveAccessibleDescription(/The minimum top-up amount is \$5\.$/);
  await expect(page.getByText(/^No payments yet/)).toBeVisible();

  await page.getByRole('button', { name: '$25', exact: true }).click();
  await expect(amount(page)).toHaveValue('25');
  await expect(page.getByRole('alert')).toHaveCount(0);
  await amount(page).fill('20');
  await card(page).click();
  await expect(page.getByRole('heading', { name: 'Pay $20' })).toBeVisible();
  await page.getByRole('link', { name: 'Pay' }).click();
  await expect(notice(page)).toHaveText('$20.00 was added to your balance.');
  await expect(page).toHaveURL('/billing');
  await expect(inBar(page)).toHaveText('Billing$21.00');
  await expect(page.getByRole('region', { name: 'Balance' })).toContainText('$21.00');
  const row = history(page).getByRole('row').nth(1);
  await expect(row).toContainText('Paid');
  await expect(row).toContainText('Card');
  await expect(row).toContainText('$20.00');

  const saving = page.waitForEvent('download');
  await page
    .getByRole('button', { name: /^Download the CSV of / })
    .first()
    .click();
  const file = await saving;
  expect(file.suggestedFilename()).toMatch(/^wharf-\d{4}-\d{2}\.csv$/);
  expect(await readFile(await file.path(), 'utf8')).toMatch(/payment/i);
  await expectSound(page, page.getByRole('main'));

  await amount(page).fill('10');
  await crypto(page).click();
  await page.getByRole('link', { name: 'Pay' }).click();
  await expect(page).toHaveURL('/billing');
  const latest = history(page).getByRole('row').nth(1);
  await expect(latest).toContainText('Pending');
  await expect(notice(page)).toContainText('Your payment of $10.00 is pending.');
  const target = await notice(page).getByRole('link').getAttribute('href');
  await latest.getByRole('link', { name: 'Continue the payment of $10.00' }).click();
  await expect(page).toHaveURL(target ?? '');
  await page.getByRole('link', { name: 'Pay' }).click();
  await expectSound(page, page.getByRole('main'));
  const [invoice] = providers.cryptomus.invoices.slice(-1);
  if (!invoice) throw new Error('there is no invoice');
  expect((await providers.cryptomus.deliver(server.url, invoice)).status).toBe(200);
  await expect(history(page).getByRole('row').nth(1)).toContainText('Paid');
  await expect(inBar(page)).toHaveText('Billing$31.00');
  await expect(notice(page)).toHaveText('$10.00 was added to your balance.');
  const statements = page.getByRole('region', { name: 'Statements' });
  await expect(statements.getByText('Added').locator('+ dd')).toHaveText('$31.00');
  await expect(statements.getByText('Closing balance').locator('+ dd')).toHaveText('$31.00');
});

test('two clicks on the ways to pay start one payment', async ({ page, server }) => {
  await open(page, server);
  const starts: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST') starts.push(new URL(request.url()).pathname);
  });
  await amount(page).fill('20');
  const other = await crypto(page).elementHandle();
  await card(page).evaluate((button: HTMLElement, secondButton) => {
    button.click();
    button.click();
    (secondButton as HTMLElement).click();
  }, other);
  await expect(page.getByRole('heading', { name: 'Pay $20' })).toBeVisible();
  expect(starts).toEqual(['/payments/stripe/checkout/20']);
});

test('a month opens into its days, and a day into its buckets', async ({ page, server }) => {
  const { userId, token } = await enter(page, server, '/billing');
  const bucket = await createBucket(server, token, 'Holidays');
  const month = new Date().toISOString().slice(0, 7);
  const first = Date.parse(`${month}-01`);
  const firstDay = formatDay(`${month}-01`);
  await inDatabase(
    server.dataDir,
    `const insert = file.query('insert into charge_days values ($user, $day, $bucket, 144000, 5000, 0)');
     for (const day of given.days) insert.run({ user: given.userId, bucket: given.bucketId, day });
     file.query('insert into charge_months values ($user, $month, $bucket, 288000, 10000, 0)')
       .run({ user: given.userId, bucket: given.bucketId, month: given.days[0] });`,
    { userId, bucketId: bucket.id, days: [first, first + DAY] },
  );
  await page.goto('/billing');
  const costs = page
    .getByRole('region', { name: 'Balance' })
    .getByRole('region', { name: 'Costs of this month' });
  await expect(costs).toContainText('$0.30 so far');
  await expect(costs.getByRole('listitem')).toHaveText('Holidays$0.30');
  const statements = page.getByRole('region', { name: 'Statements' });
  await statements.getByText('Daily charges').click();
  const day = statements.locator('summary', { hasText: `${firstDay}$0.149000` }).first();
  await expect(day).toBeVisible();
  await expect(statements.getByText('Holidays')).toHaveCount(0);
  await day.click();
  await expect(statements.getByRole('row', { name: /Holidays/ })).toContainText('$0.005000');
  await expectSound(page, page.getByRole('main'));

  await statements.getByRole('link', { name: /^Print .* or save it as a PDF$/ }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(/^Statement for /);
  await expect(page.getByRole('table', { name: 'Charges by day' })).toContainText(firstDay);
  await expectSound(page);
  await page.setViewportSize({ width: 390, height: 800 });
  await expectNothingAside(page);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.evaluate(() => {
    window.print = () => document.body.setAttribute('data-printed', '');
  });
  const print = page.getByRole('button', { name: 'Print or save as PDF' });
  await print.click();
  await expect(page.locator('[data-printed]')).toHaveCount(1);
  await page.emulateMedia({ media: 'print' });
  await expect(print).toBeHidden();
  await expect(page.getByRole('navigation')).toBeHidden();
  await expect(page.locator('html')).toHaveCSS('background-color', 'rgb(255, 255, 255)');
});

test.describe('what fails', () => {
  test.use({ expectedComplaints: /status of 502/ });

  test("is said: the balance is 'Error', so says the history, a refusal is a toast, and the return leads back", async ({
    page,
    server,
    providers,
  }) => {
    await open(page, server);
    providers.stripe.troubles.push({ status: 400 });
    await amount(page).fill('20');
    await card(page).click();
    await expectToast(page, 'The payment provider refused the request. Nothing was charged.');
    await expect(card(page)).toBeEnabled();
    await crypto(page).click();
    await expect(page.getByRole('heading', { name: 'Pay $20.00' })).toBeVisible();

    for (const path of [/\/users\/balance$/, /\/payments\/user/]) {
      await page.route(path, (route) => route.fulfill({ status: 418, body: 'no' }));
    }
    await page.goto('/billing');
    await expect(inBar(page)).toHaveText('BillingError');
    await expect(page.getByRole('region', { name: 'Balance' })).toContainText('Error');
    await expect(history(page).getByRole('row')).toHaveCount(3);
    await expect(history(page)).toContainText('Nothing was charged.');
    await expect(history(page).getByRole('alert')).toContainText('An unexpected error occurred.');
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.getByRole('button', { name: 'Try again' }).click();
    await expect(history(page).getByRole('alert')).toHaveCount(0);

    await page.route('**/payments/stripe/update', (route) =>
      route.fulfill({ status: 403, body: '' }),
    );
    await page.goto('/billing/success');
    await expect(page.getByRole('alert')).toHaveText('An unexpected error occurred.');
    await expectSound(page, page.getByRole('main'));
    await page.getByRole('link', { name: 'Go to billing' }).click();
    await expect(page).toHaveURL('/billing');
  });
});
