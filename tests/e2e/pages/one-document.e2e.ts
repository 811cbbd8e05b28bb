import { createBucket } from '../../support/client/api.ts';
import { expect, test } from '../fixtures.ts';
import { enterWith } from '../support/buckets.ts';
import { expectHydrated } from '../support/expect-hydrated.ts';
import { expectSound } from '../support/look.ts';
import { deleteByCode } from '../support/mailed-code.ts';
import { enterFull, fileLink, scrollToLast, tableOf } from '../support/many-files.ts';
import { giveSession, startSession } from '../support/people.ts';
import { markDocument } from '../support/same-document.ts';
import { expectToast } from '../support/toasts.ts';

test('all pages of the dashboard are shown in one document, with their titles and islands', async ({
  page,
  server,
}) => {
  await enterWith(page, server, ['Harbour']);
  await page.goto('/dashboard');
  await expectHydrated(page, 'home');
  const isSameDocument = await markDocument(page);
  const open = async (name: string | RegExp, title: RegExp, island: string) => {
    await page.getByRole('link', { name }).and(page.locator(':visible')).first().click();
    await expect(page).toHaveTitle(title);
    await expectHydrated(page, island);
    expect([name, await isSameDocument()]).toEqual([name, true]);
  };
  await open('Harbour', /^Overview of Harbour/, 'overview');
  await open('Files', /^Files of Harbour/, 'files');
  await open('API Key', /^API key of Harbour/, 'api-key');
  await open('Settings', /^Settings of Harbour/, 'settings');
  await open('Delivery', /^Settings of Harbour/, 'settings');
  await open(/^Billing/, /^Billing/, 'billing');
  await page.getByRole('button', { name: 'User menu' }).click();
  await open('Profile', /^Profile/, 'profile');
  await open('Security', /^Security/, 'profile');
  await open('Dashboard', /^Your Buckets/, 'home');
  await expectSound(page);
});

test('the pages of the admin are shown in one document too', async ({ page, server, admin }) => {
  await giveSession(page, server, admin);
  await page.goto('/dashboard');
  await expectHydrated(page, 'home');
  const isSameDocument = await markDocument(page);
  await page.getByRole('link', { name: 'Admin' }).click();
  await expect(page).toHaveURL('/admin/overview');
  const side = page.getByRole('navigation', { name: 'Admin' });
  for (const name of ['Buckets', 'Users', 'Logs']) {
    await side.getByRole('link', { name }).click();
    await expectHydrated(page, `admin-${name.toLowerCase()}`);
  }
  expect(await isSameDocument()).toBe(true);
});

test('Back shows a long list where it was left, with what has changed in it', async ({
  page,
  server,
}) => {
  await enterFull(page, server, { count: 120 });
  await expectHydrated(page, 'files');
  await scrollToLast(page, 120);
  const top = () => page.locator('[data-scroll-box]').evaluate(({ scrollTop }) => scrollTop);
  const before = await top();
  expect(before).toBeGreaterThan(1000);
  await page.getByRole('link', { name: 'Settings' }).click();
  await expectHydrated(page, 'settings');
  await page.goBack();
  await expectHydrated(page, 'files');
  await expect(fileLink(page, 119)).toBeVisible();
  await expect.poll(top).toBe(before);
  await expect(tableOf(page)).toHaveAttribute('aria-rowcount', '121');

  // A link leads to the page as it is now, from its top.
  await page.getByRole('link', { name: 'Settings' }).click();
  await expectHydrated(page, 'settings');
  await page.getByRole('link', { name: 'Files', exact: true }).click();
  await expect(fileLink(page, 0)).toBeVisible();
  await expect.poll(top).toBe(0);
});

test('a page of a newer build, of another user or of nobody is loaded by the browser', async ({
  page,
  server,
}) => {
  const { ids } = await enterWith(page, server, ['Harbour']);
  const path = `/dashboard/settings/${ids.Harbour}`;
  for (const [attribute, value] of [
    ['data-build', 'newer'],
    ['data-viewer', 'other'],
  ] as const) {
    await page.goto('/dashboard');
    await expectHydrated(page, 'home');
    const isSameDocument = await markDocument(page);
    await page.route('/billing', async (route) => {
      const response = await route.fetch();
      const html = await response.text();
      const body = html.replace(new RegExp(`${attribute}="[^"]*"`), `${attribute}="${value}"`);
      await route.fulfill({ response, body: route.request().isNavigationRequest() ? html : body });
    });
    await page
      .getByRole('link', { name: /^Billing/ })
      .first()
      .click();
    await expectHydrated(page, 'billing');
    expect([attribute, await isSameDocument()]).toEqual([attribute, false]);
    await page.unroute('/billing');
  }
  await page.goto(path);
  await expectHydrated(page, 'settings');
  await page.context().clearCookies();
  await page.getByRole('link', { name: 'Files', exact: true }).click();
  await expect(page).toHaveURL('/login');
});

test('a created bucket opens its files, and a deleted one leads home, in the same document', async ({
  page,
  server,
}) => {
  const session = await startSession(page, server);
  await createBucket(server, session.token, 'Quay');
  await page.goto('/dashboard');
  await expectHydrated(page, 'home');
  const isSameDocument = await markDocument(page);
  await page.getByRole('button', { name: 'Create Bucket' }).first().click();
  const creation = page.getByRole('dialog', { name: 'Create Bucket' });
  await creation.getByLabel('Name').fill('Harbour');
  await creation.getByRole('button', { name: 'Create', exact: true }).click();
  await expect(page).toHaveURL(/\/dashboard\/files\//);
  await expectHydrated(page, 'files');
  await page.getByRole('link', { name: 'Settings' }).click();
  await expectHydrated(page, 'settings');
  await page.getByRole('button', { name: 'Delete Bucket' }).focus();
  const dialog = page.getByRole('dialog', { name: 'Delete Bucket' });
  await deleteByCode(page, server, { dialog, email: session.email });
  await expectToast(page, 'Bucket “Harbour” deleted.');
  await expect(page).toHaveURL('/dashboard');
  await expect(page.getByRole('link', { name: 'Quay' })).toBeVisible();
  expect(await isSameDocument()).toBe(true);
});
