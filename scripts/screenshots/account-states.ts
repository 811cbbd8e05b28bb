import type { Page } from '@playwright/test';
import {
  breakCalls,
  dialog,
  failed,
  ownerAt as owner,
  press,
  type Scene,
  visitorAt as visitor,
} from './scene.ts';

const PASSWORD = 'a harbour at work';
const BOUNCE = 'The email could not be delivered: the mailbox does not exist. Check the address.';

const submit = (page: Page, name: string) =>
  page.locator('main form').getByRole('button', { name, exact: true }).click();

async function askForCode(page: Page) {
  await page.getByLabel('Email').fill('noah@example.com');
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await submit(page, 'Login');
  await page.getByText('Resend code').waitFor();
}

const signUp = async (page: Page, confirmation: string) => {
  await page.getByLabel('Email').fill('mia@example.com');
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByLabel('Confirm password').fill(confirmation);
  // The address does not exist, so no mail is sent.
  await page.route('**/users/signup', (route) => route.fulfill({ status: 204 }));
  await submit(page, 'Sign up');
};

/** Logging in, signing up, the profile and payments. */
export const ACCOUNT_STATES: Scene[] = [
  visitor('login-code', '/login', askForCode),
  visitor('login-refused', '/login', async (page) => {
    await askForCode(page);
    await page.route('**/users/login', (route) =>
      route.fulfill({ status: 401, body: 'That code is incorrect or has expired.' }),
    );
    await page.getByLabel('Code', { exact: true }).fill('123456');
    await page.waitForTimeout(500);
  }),
  visitor('signup-differs', '/signup', (page) => signUp(page, 'another')),
  visitor('signup-code', '/signup', async (page) => {
    await page.route('**/users/mail/status?*', (route) =>
      route.fulfill({ json: { failed: BOUNCE } }),
    );
    await signUp(page, PASSWORD);
    await page.getByText(BOUNCE).waitFor();
  }),
  visitor('forgot-new', '/forgot-password', async (page) => {
    await page.route('**/users/verify', (route) =>
      route.fulfill({
        json: { token: 'none', userId: 'none', exp: 4e9, email: 'mia@example.com' },
      }),
    );
    await page.getByLabel('Email').fill('mia@example.com');
    await submit(page, 'Next step');
    await page.getByLabel('Code', { exact: true }).fill('123456');
    await page.getByText('Set a new password').waitFor();
  }),
  visitor('undo-refused', '/undo-email-change', async (page) => {
    await press('Undo the change')(page);
    await page.getByRole('alert').first().waitFor();
  }),
  owner('email-code', '/profile', async (page) => {
    await page.getByLabel('New email').fill('ana@harbour.example');
    await press('Save Changes')(page);
    await page.getByText('We sent a 6-digit code').waitFor();
  }),
  owner('account-delete', '/profile', async (page) => {
    await press('Delete Account')(page);
    await dialog(page).waitFor();
  }),
  owner('password', '/dashboard/api-key/:full', async (page) => {
    await page.route('**/buckets/api-key/*', (route) =>
      route.fulfill({
        status: 403,
        headers: { 'x-error-code': 'password-required' },
        body: 'Confirm your password first.',
      }),
    );
    await press('Show API key')(page);
    await dialog(page).waitFor();
  }),
  owner('s3-key', '/dashboard/s3', press('Create key')),
  owner('s3-key-created', '/dashboard/s3', async (page) => {
    await press('Create key')(page);
    await dialog(page).getByLabel('Name').fill('Nightly backup');
    await dialog(page).getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('dialog', { name: 'S3 key created' }).waitFor();
  }),
  owner('s3-check', '/dashboard/s3', async (page) => {
    const request = "curl 'http://127.0.0.1:9000/a?X-Amz-Algorithm=AWS4-HMAC-SHA256'";
    await page.getByLabel('Request', { exact: true }).fill(request);
    await press('Check request')(page);
    await page.getByText('X-Amz-Expires').first().waitFor();
    await page.getByText('X-Amz-Expires').first().scrollIntoViewIfNeeded();
  }),
  owner('top-up', '/billing', async (page) => {
    await page.route('**/payments/stripe/checkout/*', () => {});
    await page.getByLabel('Amount in USD').fill('25');
    await press('Pay with Card')(page);
  }),
  owner('top-up-too-small', '/billing', async (page) => {
    await page.getByLabel('Amount in USD').fill('3');
    await press('Pay with Card')(page);
    await page.getByText('The minimum top-up amount is $5.').first().waitFor();
  }),
  owner('balance-failed', '/billing', async (page) => {
    await breakCalls(page, '**/users/balance');
    await page.reload();
    await page.locator('main').getByText('Error', { exact: true }).waitFor({ timeout: 20_000 });
  }),
  owner('payment-failed', '/billing', async (page) => {
    await page.route('**/payments/stripe/update', (route) => route.fulfill({ status: 502 }));
    await page.goto('/billing/success');
    await failed(page);
  }),
];
