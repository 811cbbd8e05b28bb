import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { enterWith, search, trigger } from './support/buckets.ts';
import { newAddress, PASSWORD, signUpIn } from './support/people.ts';

/** The scripts of all pages come when `release` is called. */
async function holdScripts(page: Page) {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/assets/*.js', async (route) => {
    await released;
    await route.continue();
  });
  return release;
}

test('what is typed and submitted before the scripts are there is done when they are', async ({
  page,
  server,
}) => {
  const email = newAddress();
  await signUpIn(page, server, email);
  const release = await holdScripts(page);
  const asked: string[] = [];
  page.on('request', (request) => {
    if (request.isNavigationRequest() || request.method() === 'POST') asked.push(request.method());
  });
  await page.goto('/login', { waitUntil: 'commit' });
  await page.getByLabel('Email').fill(email);
  const password = page.getByLabel('Password', { exact: true });
  await password.fill(PASSWORD);
  await password.press('Enter');
  await page.getByRole('button', { name: 'Login' }).click();
  await expect(page.locator('[data-waiting]')).toBeVisible();
  release();
  await expect(page.getByRole('heading', { name: 'Enter your code' })).toBeVisible();
  await expect(page.getByText(`We sent a 6-digit code to ${email}.`)).toBeVisible();
  expect(asked).toEqual(['GET', 'POST']);
  await expect(page.locator('[data-waiting]')).toHaveCount(0);
});

test('buttons and searches before the scripts are there work too, and those of the bar', async ({
  page,
  server,
}) => {
  const { ids } = await enterWith(page, server, ['Harbour', 'Quay']);
  const release = await holdScripts(page);
  await page.goto('/dashboard', { waitUntil: 'commit' });
  await page.getByRole('searchbox', { name: 'Search buckets' }).pressSequentially('qua');
  await page.getByRole('button', { name: 'Create bucket' }).first().click();
  release();
  const dialog = page.getByRole('dialog', { name: 'Create Bucket' });
  await expect(dialog).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page).toHaveURL('/dashboard?name=qua');
  await expect(page.getByRole('searchbox', { name: 'Search buckets' })).toHaveValue('qua');

  await page.unrouteAll({ behavior: 'ignoreErrors' });
  const again = await holdScripts(page);
  await page.goto('/profile', { waitUntil: 'commit' });
  await page.getByRole('button', { name: 'Theme' }).click();
  await page.getByRole('button', { name: 'Light' }).click();
  await trigger(page).click();
  await search(page).pressSequentially('harb');
  await page.keyboard.press('Enter');
  again();
  await page.waitForURL(`/dashboard/bucket/${ids.Harbour}`);
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'wharf-light');
});
