import type { Locator, Page } from '@playwright/test';
import { createBucketId } from '../../support/client/api.ts';
import { expect, test } from '../fixtures.ts';
import { expectHydrated } from '../support/expect-hydrated.ts';
import { startSession } from '../support/people.ts';

/** Collects the POST requests to a path from now on. */
function postsTo(page: Page, path: string): string[] {
  const keys: string[] = [];
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (request.method() === 'POST' && pathname.startsWith(path))
      keys.push(request.headers()['idempotency-key'] ?? '');
  });
  return keys;
}

/** Clicks twice before the page can render anything in between. */
const clickTwice = (button: Locator) =>
  button.evaluate((element: HTMLElement) => {
    element.click();
    element.click();
  });

test('a double click does once what one click does, and a later click does it again', async ({
  page,
  server,
}) => {
  const { token } = await startSession(page, server);
  const created = postsTo(page, '/buckets');
  await page.goto('/dashboard');
  await expectHydrated(page, 'home');
  for (const name of ['Once', 'Again']) {
    await page.getByRole('button', { name: 'Create bucket' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'Create Bucket' });
    await dialog.getByLabel('Name').fill(name);
    await clickTwice(dialog.getByRole('button', { name: 'Create', exact: true }));
    await expect(page).toHaveURL(/\/dashboard\/files\//);
    await page.goto('/dashboard');
    await expect(page.getByRole('link', { name })).toHaveCount(1);
  }
  expect(new Set(created).size).toBe(2);
  expect(created).toHaveLength(2);

  const id = await createBucketId(server, token, 'Tokens');
  await page.goto(`/dashboard/api-key/${id}`);
  const tokens = postsTo(page, '/buckets/jwt/');
  const generate = page.getByRole('button', { name: 'Generate new token' });
  for (const count of [1, 2]) {
    await clickTwice(generate);
    await expect(page.getByRole('button', { name: 'Copy token' })).toBeVisible();
    await expect(generate).not.toHaveAttribute('aria-busy', 'true');
    expect(tokens).toHaveLength(count);
  }
});

test('a form that is refused by the page can be sent again at once', async ({ page }) => {
  await page.goto('/signup');
  await expectHydrated(page, 'signup');
  const posts = postsTo(page, '/users/signup');
  await page.getByLabel('Email').fill('twice@example.com');
  const [password, confirmation] = [page.getByLabel(/^Password/), page.getByLabel(/^Confirm/)];
  await password.fill('a harbour at work');
  await confirmation.fill('another harbour');
  const submit = page.locator('button[type=submit]');
  await clickTwice(submit);
  await confirmation.fill('a harbour at work');
  await submit.click();
  await expect(page.getByLabel('Code')).toBeVisible();
  expect(posts).toHaveLength(1);
});
