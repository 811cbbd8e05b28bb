import { expect, test } from '../fixtures.ts';
import { enterWith, option, panel, queriesOf, search, trigger } from '../support/buckets.ts';
import { expectHydrated } from '../support/expect-hydrated.ts';
import { pressTogether } from '../support/keyboard.ts';
import { expectSound } from '../support/look.ts';
import { layoutShift } from '../support/shift.ts';
import { expectToast } from '../support/toasts.ts';

test('the picker is hidden on exactly /dashboard, and weighs nothing where nobody points at it', async ({
  page,
  server,
}) => {
  await enterWith(page, server, ['Harbour']);
  await page.goto('/dashboard?name=harbour');
  await expect(page.getByRole('link', { name: 'Dashboard' })).toHaveAttribute(
    'aria-current',
    'page',
  );
  await expect(trigger(page)).toHaveCount(0);
  const scripts: string[] = [];
  page.on('request', (request) => {
    if (request.resourceType() === 'script') scripts.push(request.url());
  });
  await page.goto('/docs', { waitUntil: 'networkidle' });
  expect(scripts.filter((url) => /hydrate|picker|react/.test(url))).toEqual([]);
  const before = scripts.length;
  await trigger(page).click();
  await page.keyboard.type('har');
  await expect(option(page, 'Harbour')).toBeVisible();
  expect(scripts.length).toBeGreaterThan(before);
  await expect(search(page)).toHaveValue('har');
});

test('keys lead between the pages of a bucket and to what is on them, but not while somebody types', async ({
  page,
  server,
}) => {
  const { ids } = await enterWith(page, server, ['Harbour']);
  const id = ids.Harbour;
  await page.goto(`/dashboard/bucket/${id}`);
  for (const [keys, path] of [
    ['gk', 'api-key'],
    ['gs', 'settings'],
    ['go', 'bucket'],
    ['gf', 'files'],
  ] as const) {
    await pressTogether(page, keys);
    await expect(page).toHaveURL(`/dashboard/${path}/${id}`);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  }
  const image = page.getByRole('dialog', { name: 'Upload Image' });
  await page.keyboard.press('u');
  await expect(image).toBeVisible();
  await page.keyboard.type('go?');
  await expect(page).toHaveURL(`/dashboard/files/${id}`);
  // The 'close' event of the first dialog comes after the second one has opened.
  await pressTogether(page, ['Escape', 'Shift+U']);
  await expect(image).toBeHidden();
  const video = page.getByRole('dialog', { name: 'Upload Video' });
  await expect(video).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(video).toBeHidden();

  await page.keyboard.press('/');
  await expect(page.getByRole('searchbox', { name: 'Search files' })).toBeFocused();

  await page.goto(`/dashboard/settings/${id}`);
  await page.keyboard.press('/');
  await expect(search(page)).toBeFocused();
  await page.keyboard.type('gs/?u');
  await expect(search(page)).toHaveValue('gs/?u');
  await page.keyboard.press('Escape');
  await expect(panel(page)).toBeHidden();
  await expect(page).toHaveURL(`/dashboard/settings/${id}`);

  await page.goto('/dashboard');
  await page.keyboard.press('/');
  await expect(page.getByRole('searchbox', { name: 'Search buckets' })).toBeFocused();
});

test('? shows the keys, which can be turned off', async ({ page, server }) => {
  const { ids } = await enterWith(page, server, ['Harbour']);
  await page.goto(`/dashboard/bucket/${ids.Harbour}`);
  const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await page.keyboard.press('?');
  await expect(help).toContainText('Files of the bucket');
  await expectSound(page, help);
  await help.getByLabel('Use these keys in this browser').uncheck();
  await help.getByRole('button', { name: 'Close' }).click();
  await expect(help).toBeHidden();
  await page.reload();
  await pressTogether(page, 'gf?');
  await expect(help).toBeHidden();
  await expect(page).toHaveURL(`/dashboard/bucket/${ids.Harbour}`);

  await page.getByRole('button', { name: 'User menu' }).click();
  await page.getByRole('button', { name: 'Keyboard shortcuts' }).click();
  await help.getByLabel('Use these keys in this browser').check();
  await page.keyboard.press('Escape');
  await expect(help).toBeHidden();
  await pressTogether(page, 'gf');
  await expect(page).toHaveURL(`/dashboard/files/${ids.Harbour}`);
});

test('no page shifts at 390 and 1440 px, and all are sound', async ({ page, server }) => {
  const { ids } = await enterWith(page, server, ['Harbour', 'Quay']);
  const paths = [
    '/',
    '/login',
    '/signup',
    '/forgot-password',
    '/nowhere',
    '/docs',
    '/docs/tokens',
    '/dashboard',
    '/dashboard?name=none',
    ...['bucket', 'files', 'api-key', 'settings'].map((name) => `/dashboard/${name}/${ids.Quay}`),
    '/profile',
    '/profile/security',
    '/billing',
  ];
  // The widths are tested in sequence, because a background tab renders no frames.
  for (const width of [390, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    for (const path of paths) {
      await page.goto(path, { waitUntil: 'networkidle' });
      // The picker is hydrated when somebody is about to use it.
      if (path === '/profile') await trigger(page).hover();
      const { sum, shifted } = await layoutShift(page);
      expect(sum, `${path} at ${width} px: ${shifted.join()}`).toBe(0);
      // docs.e2e looks at the reference and the guide.
      if (width === 1440 && !path.startsWith('/docs')) await expectSound(page);
    }
  }
});

test('a page that a pointer rests on is there before the click, and not when something was changed', async ({
  page,
  server,
}) => {
  const { ids } = await enterWith(page, server, ['Harbour']);
  await page.goto(`/dashboard/settings/${ids.Harbour}`);
  await expectHydrated(page, 'settings');
  const home = page.getByRole('link', { name: 'Dashboard' });
  const requests = queriesOf(page, '/dashboard');
  const fetched = () =>
    page.waitForResponse((response) => new URL(response.url()).pathname === '/dashboard');
  await Promise.all([fetched(), home.hover()]);
  await home.click();
  await expect(page.getByRole('link', { name: 'Harbour' })).toBeVisible();
  expect(requests).toHaveLength(1);

  // The pointer would rest on the link of the page that Back shows.
  await page.mouse.move(700, 600);
  await page.goBack();
  await expectHydrated(page, 'settings');
  await page.getByLabel('Bucket name').fill('Quay');
  await Promise.all([fetched(), home.hover()]);
  // A key saves, so that the pointer stays on the link.
  await page.getByLabel('Bucket name').press('Enter');
  await expectToast(page, 'Settings saved.');
  await home.click();
  await expect(page.getByRole('link', { name: 'Quay' })).toBeVisible();
  expect(requests).toHaveLength(3);
});

test('a page says that there is no connection, and that it is back by saying no more', async ({
  page,
  context,
}) => {
  await page.goto('/login');
  const notice = page.getByText('You’re offline.');
  await expect(notice).toBeHidden();
  await context.setOffline(true);
  await expect(notice).toBeVisible();
  await context.setOffline(false);
  await expect(notice).toBeHidden();
});

test('between pages the content fades, while bar and side navigation stand still', async ({
  page,
  server,
}) => {
  const { ids } = await enterWith(page, server, ['Harbour']);
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  await page.addInitScript(() => {
    const start = document.startViewTransition.bind(document);
    document.startViewTransition = (change) => {
      const transition = start(change);
      void transition.ready.then(() => {
        const animated = document
          .getAnimations()
          .map(({ effect }) => (effect as KeyframeEffect).pseudoElement)
          .filter((name) => name?.startsWith('::view-transition'));
        Object.assign(window, { animated });
      });
      return transition;
    };
  });
  await page.goto(`/dashboard/bucket/${ids.Harbour}`);
  await expectHydrated(page, 'overview');
  await page.getByRole('link', { name: 'Settings' }).click();
  await expect(page).toHaveURL(`/dashboard/settings/${ids.Harbour}`);
  const animated = () => page.evaluate(() => Reflect.get(window, 'animated') as string[]);
  await expect.poll(animated).toContain('::view-transition-new(root)');
  expect((await animated()).filter((name) => /bar|side/.test(name))).toEqual([]);

  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.evaluate(() => Object.assign(window, { animated: ['nothing yet'] }));
  await page.getByRole('link', { name: 'API Key' }).click();
  await expectHydrated(page, 'api-key');
  expect(await animated()).toEqual(['nothing yet']);
});
