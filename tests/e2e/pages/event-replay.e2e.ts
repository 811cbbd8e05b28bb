import type { Page } from '@playwright/test';
import { expect, test } from '../fixtures.ts';
import { enterWith, search, trigger } from '../support/buckets.ts';
import { expectHydrated } from '../support/expect-hydrated.ts';
import { holdRequests } from '../support/hold-requests.ts';
import { pressTogether } from '../support/keyboard.ts';
import { enterFull, fileLink } from '../support/many-files.ts';
import { newAddress, PASSWORD, signUpIn } from '../support/people.ts';

/** Holds back the scripts of all pages until the returned function is called. */
const holdScripts = (page: Page) => holdRequests(page, '**/assets/*.js');

test('what is typed and submitted before the scripts are there is done when they are', async ({
  page,
  server,
}) => {
  const email = newAddress();
  await signUpIn(page, server, email);
  const release = await holdScripts(page);
  const requests: string[] = [];
  page.on('request', (request) => {
    if (request.isNavigationRequest() || request.method() === 'POST')
      requests.push(request.method());
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
  expect(requests).toEqual(['GET', 'POST']);
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
  const releaseScripts = await holdScripts(page);
  await page.goto('/profile', { waitUntil: 'commit' });
  await page.getByRole('button', { name: 'User menu' }).click();
  await page.getByRole('button', { name: 'Light' }).click();
  await trigger(page).click();
  await search(page).pressSequentially('harb');
  await page.keyboard.press('Enter');
  releaseScripts();
  await page.waitForURL(`/dashboard/bucket/${ids.Harbour}`);
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'wharf-light');
});

test('a right click and arrows on a row before the scripts are there do what they do later', async ({
  page,
  server,
}) => {
  const { path, rows } = await enterFull(page, server, { count: 9 });
  const openHeld = async () => {
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    const release = await holdScripts(page);
    await page.goto(path, { waitUntil: 'commit' });
    return release;
  };
  const releaseClick = await openHeld();
  const name = rows[1]?.name ?? '';
  const row = page.getByRole('row').filter({ hasText: name });
  await row.click({ button: 'right', position: { x: 300, y: 10 } });
  await expect(page.locator('[data-waiting]')).toBeVisible();
  releaseClick();
  const menu = page.getByRole('menu', { name: `Actions for ${name}` });
  await expect(menu).toBeVisible();
  const [at, where] = [await menu.boundingBox(), await row.boundingBox()];
  expect(Math.abs((at?.x ?? 0) - ((where?.x ?? 0) + 300))).toBeLessThan(3);

  const releaseArrows = await openHeld();
  await fileLink(page, 8).focus();
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowDown');
  await expect(fileLink(page, 8)).toBeFocused();
  releaseArrows();
  await expect(fileLink(page, 6)).toBeFocused();
  await page.keyboard.press('ArrowUp');
  await expect(fileLink(page, 5)).toBeFocused();

  // A row that got the focus before is left by arrows after that.
  const releaseFocus = await openHeld();
  await fileLink(page, 8).focus();
  releaseFocus();
  await expectHydrated(page, 'files');
  await page.keyboard.press('ArrowUp');
  await expect(fileLink(page, 7)).toBeFocused();
});

test('shortcuts before the scripts are there lead where they do later; typed text is none', async ({
  page,
  server,
}) => {
  const { ids } = await enterWith(page, server, ['Harbour']);
  const release = await holdScripts(page);
  await page.goto(`/dashboard/files/${ids.Harbour}`, { waitUntil: 'commit' });
  await trigger(page).click();
  await search(page).pressSequentially('gs/u');
  await expect(search(page)).toHaveValue('gs/u');
  await page.keyboard.press('Escape');
  await page.keyboard.press('u');
  release();
  await expect(page.getByRole('dialog', { name: 'Upload Image' })).toBeVisible();
  await expect(page).toHaveURL(`/dashboard/files/${ids.Harbour}`);

  await page.unrouteAll({ behavior: 'ignoreErrors' });
  const releaseScripts = await holdScripts(page);
  await page.goto(`/dashboard/files/${ids.Harbour}`, { waitUntil: 'commit' });
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await pressTogether(page, 'gs');
  releaseScripts();
  await expect(page).toHaveURL(`/dashboard/settings/${ids.Harbour}`);
});
