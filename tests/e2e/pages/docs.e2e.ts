import { GUIDE_PAGES } from '../../../server/features/docs/guide-pages.ts';
import { expect, test } from '../fixtures.ts';
import { press } from '../support/keyboard.ts';
import { expectNothingAside, expectSound } from '../support/look.ts';
import { enter } from '../support/people.ts';

test('the reference is our own page: found from the landing page, searched with a key, offline', async ({
  page,
  context,
  server,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: server.url });
  const hosts = new Set<string>();
  context.on('request', (request) => hosts.add(new URL(request.url()).host));
  await page.goto('/');
  const [docs] = await Promise.all([
    context.waitForEvent('page'),
    press(page, page.getByRole('link', { name: 'Documentation' })),
  ]);
  await expect(docs).toHaveURL(`${server.url}/docs`);
  await docs.setViewportSize({ width: 390, height: 844 });
  await expectNothingAside(docs);
  // A phone has no list of calls beside the reference, so the results have them.
  await docs.getByLabel('Search the documentation').fill('/users/login');
  const found = docs.getByRole('navigation', { name: 'Search results' });
  await expect(found.getByRole('link', { name: /POST \/users\/login$/ })).toBeVisible();
  await docs.getByLabel('Search the documentation').fill('');
  await docs.setViewportSize({ width: 1280, height: 720 });

  const main = docs.getByRole('main');
  const entry = (name: RegExp) => main.getByRole('link', { name });
  await expect(entry(/^POST \/users\/login /)).toBeVisible();
  await docs.keyboard.press('/');
  await expect(docs.getByLabel('Search the documentation')).toBeFocused();
  // Every input filters all calls, so the test does not type letter by letter.
  await docs.keyboard.insertText('upload image');
  await expect(entry(/^POST \/files\/upload\/image\//)).toBeVisible();
  await expect(entry(/^POST \/users\/login /)).toBeHidden();
  await expect(docs.getByRole('navigation', { name: 'Guide' })).toBeVisible();
  const results = docs.getByRole('navigation', { name: 'Search results' });
  await expect(results.getByRole('link', { name: 'Upload an image' }).first()).toBeVisible();
  await docs.keyboard.insertText(' nonsense');
  await expect(docs.getByText('No calls match your search.')).toBeVisible();
  await docs.keyboard.press('ControlOrMeta+A');
  await docs.keyboard.insertText('users/login');
  await press(docs, results.getByRole('link', { name: /POST \/users\/login$/ }));
  await expect(docs).toHaveURL('/docs/api/accounts#post-users-login');
  const call = docs.getByRole('region', { name: 'POST /users/login', exact: true });
  await expect(call).toContainText('email_token');
  await press(docs, call.getByRole('button', { name: 'Copy the command' }));
  await expect
    .poll(() => docs.evaluate(() => navigator.clipboard.readText()))
    .toContain(`curl "${server.url}/users/login"`);
  expect([...hosts]).toEqual([new URL(server.url).host]);
  await docs.getByText('Python', { exact: true }).click();
  await expect(call).toContainText('import requests');
  // axe checks only the calls that the search has left, as all of them would take ten seconds.
  await docs.getByLabel('Search the documentation').fill('users/login');
  await expect(docs.getByRole('region', { name: 'POST /users/signup' })).toBeHidden();
  await expectSound(docs, main);

  // The language is kept, and an address from when all calls were on one page leads to the call.
  await docs.goto('/docs#post-buckets');
  await expect(docs).toHaveURL('/docs/api/buckets#post-buckets');
  const creation = docs.getByRole('region', { name: 'POST /buckets', exact: true });
  await expect(creation).toBeInViewport();
  await expect(creation).toContainText('import requests');
  expect(await docs.locator('*').count()).toBeLessThan(3000);

  // A call opens and closes with its head, and opens again with the link that leads to it.
  const deletion = docs.getByRole('region', { name: 'DELETE /buckets/{bucketID}', exact: true });
  await expect(deletion.getByText('Response 204')).toHaveCount(0);
  await press(docs, deletion.locator('summary'));
  await expect(deletion.getByText('Response 204')).toBeVisible();
  await creation.locator('summary').click();
  await expect(creation.getByText('import requests')).toBeHidden();
  await docs.locator('[data-docs-calls] a[href="#post-buckets"]').click();
  await expect(creation.getByText('import requests')).toBeVisible();
});

test('without scripts, the calls of the reference open too', async ({ browser, server }) => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(`${server.url}/docs/api/buckets`);
  const creation = page.getByRole('region', { name: 'POST /buckets', exact: true });
  // Playwright finds no text in `noscript`, though the browser shows it.
  const sample = creation.locator('pre').first();
  await expect(sample).toBeHidden();
  await creation.locator('summary').click();
  await expect(sample).toBeVisible();
  await context.close();
});

test('the / key of a signed-in reader leads to the search of the documentation alone', async ({
  page,
  server,
}) => {
  await enter(page, server, '/docs');
  await expect(page.locator('html[data-live]')).toBeAttached();
  await page.keyboard.press('/');
  await expect(page.getByLabel('Search the documentation')).toBeFocused();
  await expect(page.getByRole('dialog', { name: 'Select Bucket' })).toBeHidden();
});

test('the reference works as before when the browser shows its own copy again', async ({
  page,
  server,
}) => {
  await page.goto(`${server.url}/docs`);
  await page.reload();
  const { encodedBodySize, transferSize } = await page.evaluate(
    () => performance.getEntriesByType('navigation')[0]?.toJSON() as PerformanceNavigationTiming,
  );
  expect(transferSize).toBeLessThan(encodedBodySize / 10);
  await page.keyboard.press('/');
  await expect(page.getByLabel('Search the documentation')).toBeFocused();
});

test('the guide is read from page to page with the keyboard, its code is copied, and no React is loaded', async ({
  page,
  context,
  server,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: server.url });
  const scripts = new Set<string>();
  page.on('request', (request) => {
    if (request.resourceType() === 'script') scripts.add(new URL(request.url()).pathname);
  });
  const [first, second] = GUIDE_PAGES.map(({ title }) => title);
  await page.goto('/docs');
  // Typing searches the guide and the reference on every page of the documentation.
  await page.goto('/docs/tokens');
  await page.keyboard.press('/');
  await page.keyboard.insertText('systemd');
  const results = page.getByRole('navigation', { name: 'Search results' });
  await expect(results.getByRole('link').first()).toBeVisible();
  await page.getByLabel('Search the documentation').fill('/users/login');
  await press(page, results.getByRole('link', { name: /POST \/users\/login$/ }));
  await expect(page).toHaveURL('/docs/api/accounts#post-users-login');
  const guide = page.getByRole('navigation', { name: 'Guide' });
  await guide.getByRole('link', { name: first }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(first ?? '');
  const copy = page.getByRole('button', { name: 'Copy the code' }).first();
  await press(page, copy);
  await expect
    .poll(() => page.evaluate(() => navigator.clipboard.readText()))
    .toBe("API_KEY='YOUR_API_KEY'\nBUCKET_ID='YOUR_BUCKET_ID'");
  await expect(copy).toContainText('Text copied clipboard!');

  await press(page, page.getByRole('link', { name: `Next ${second}` }));
  await expect(page).toHaveTitle(`${second} · Wharf`);
  const part = page.getByRole('navigation', { name: 'On this page' }).getByRole('link').last();
  await part.click();
  await expect(page).toHaveURL(/#errors$/);
  await expect(page.getByRole('heading', { name: 'Errors' })).toBeInViewport();
  expect([...scripts].filter((path) => !/\/(page|main|guide|chunk)-\w+\.js$/.test(path))).toEqual(
    [],
  );
});

/** Together they have text, code, tables and notes. */
const VARIED_PAGES = ['uploading', 'self-hosting', 'video-and-player'];

test('every page of the guide fits a phone with its tab in sight, and what it is made of is sound', async ({
  page,
}) => {
  for (const { slug, title } of GUIDE_PAGES) {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(`/docs/${slug}`);
    await expectNothingAside(page);
    const tab = page.getByRole('navigation', { name: 'Guide' }).getByRole('link', { name: title });
    await expect(tab).toHaveAttribute('aria-current', 'page');
    await expect(tab).toBeInViewport({ ratio: 1 });
    if (VARIED_PAGES.includes(slug)) await expectSound(page);
  }
});
