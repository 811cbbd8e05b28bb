import { expect, test } from './fixtures.ts';
import { press } from './support/keyboard.ts';
import { expectSound } from './support/look.ts';

test.use({ contextOptions: { reducedMotion: 'reduce' } });

test('the reference is our own page: found from the landing page, searched with a key, offline', async ({
  page,
  context,
  server,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: server.url });
  await page.goto('/');
  const [docs] = await Promise.all([
    context.waitForEvent('page'),
    press(page, page.getByRole('link', { name: 'Documentation' })),
  ]);
  await expect(docs).toHaveURL(`${server.url}/docs`);
  const hosts = new Set<string>();
  docs.on('request', (request) => hosts.add(new URL(request.url()).host));
  await docs.reload();
  await expectSound(docs);

  const call = (name: string) => docs.getByRole('region', { name });
  await expect(call('POST /users/login')).toContainText('email_token');
  await docs.keyboard.press('/');
  await expect(docs.getByLabel('Search the reference')).toBeFocused();
  await docs.keyboard.type('upload image');
  await expect(call('POST /files/upload/image/{bucketID}')).toBeVisible();
  await expect(call('POST /users/login')).toBeHidden();
  await docs.keyboard.type(' nonsense');
  await expect(docs.getByText('No call has all of these words.')).toBeVisible();
  await docs.keyboard.press('ControlOrMeta+A');
  await docs.keyboard.type('users/login');
  await press(docs, docs.getByRole('link', { name: 'POST /users/login' }));
  await expect(docs).toHaveURL(/#post-users-login$/);
  await press(docs, call('POST /users/login').getByRole('button', { name: 'Copy the command' }));
  await expect
    .poll(() => docs.evaluate(() => navigator.clipboard.readText()))
    .toContain(`curl -X POST "${server.url}/users/login"`);
  expect([...hosts]).toEqual([new URL(server.url).host]);
});

test('the landing and the 404 page are sound', async ({ page }) => {
  await page.goto('/');
  await expectSound(page);
  await page.goto('/no/such/page');
  await expectSound(page);
});
