import type { Page } from '@playwright/test';
import { makePhoto } from '../../tests/support/make-media.ts';
import { type Ids, press, type Scene } from './scene.ts';

const owner = (name: string, path: string, act: NonNullable<Scene['act']>): Scene => ({
  name,
  path,
  act,
  as: 'owner',
});

const dialog = (page: Page) => page.getByRole('dialog');
const menuOf = (name: RegExp) => async (page: Page) => {
  await page.getByRole('button', { name }).first().click();
  await page.getByRole('menuitem').first().waitFor();
};
const choose = (item: string) => (page: Page) => page.getByRole('menuitem', { name: item }).click();

async function photos() {
  const buffer = await makePhoto({ width: 900, height: 600 });
  return [
    'dawn.jpg',
    'harbour-master-with-a-very-long-name-and-then-some-more.jpg',
    'dusk.jpg',
  ].map((name) => ({ name, mimeType: 'image/jpeg', buffer }));
}

async function chooseImages(page: Page) {
  await press('Upload Image')(page);
  await dialog(page)
    .getByLabel('Image', { exact: true })
    .setInputFiles(await photos());
}

/** So slowly that the picture is taken on the way. */
async function uploadSlowly(page: Page) {
  await chooseImages(page);
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 0,
    downloadThroughput: -1,
    uploadThroughput: 24_000,
  });
  await dialog(page).getByRole('button', { name: 'Upload', exact: true }).click();
  await page.waitForTimeout(1500);
}

/** What opens on the pages, and what they look like when something happens. */
export const states = ({ empty, full, suspended, file, video, failed }: Ids): Scene[] => [
  owner('menu', '/dashboard', async (page) => {
    const compact = page.getByRole('button', { name: 'Menu', exact: true });
    if (await compact.isVisible()) await compact.click();
    else await press('User menu')(page);
  }),
  owner('theme-menu', '/dashboard', press('Theme')),
  owner('shortcuts', '/dashboard', (page) => page.keyboard.press('?')),
  owner('create-bucket', '/dashboard', press('Create bucket')),
  owner('dates', '/dashboard', async (page) => {
    await page.getByLabel('Search between dates').click();
    await page.locator('.flatpickr-calendar.open').waitFor();
  }),
  owner('loading', '/dashboard', async (page) => {
    await page.route('**/buckets?*', () => {});
    await page.getByLabel('Search buckets').fill('web');
    await page.waitForTimeout(1200);
  }),
  owner('list-failed', '/dashboard', async (page) => {
    await page.route('**/buckets?*', (route) => route.fulfill({ status: 500 }));
    await page.getByLabel('Search buckets').fill('web');
    await page.getByText('An unexpected error occurred.').first().waitFor({ timeout: 20_000 });
  }),
  owner('offline', '/dashboard', async (page) => {
    await page.context().setOffline(true);
    await page.getByText('You are offline.').waitFor();
  }),
  owner('picker', `/dashboard/bucket/${full}`, async (page) => {
    await page.locator('[popovertarget=bucket-picker]').click();
    await page.getByRole('option').first().waitFor();
  }),
  owner('chart-choice', `/dashboard/bucket/${full}`, press(/^Chart data/)),
  owner('chart-tip', `/dashboard/bucket/${full}?chartType=bandwidth&unit=MiB`, async (page) => {
    const bars = page.locator('.apexcharts-bar-area');
    await bars.nth(9).waitFor();
    await bars.nth(9).hover({ force: true });
  }),
  owner('file-menu', `/dashboard/files/${full}`, menuOf(/^Actions for red-panda/)),
  owner('file', `/dashboard/files/${full}?file=${file}`, (page) =>
    page.getByText('SHA-256').waitFor(),
  ),
  owner('file-video', `/dashboard/files/${full}?file=${video}`, (page) =>
    page.getByText('SHA-256').waitFor(),
  ),
  owner('file-failed', `/dashboard/files/${full}?file=${failed}`, (page) =>
    dialog(page).getByText('Created at').waitFor(),
  ),
  owner('file-delete', `/dashboard/files/${full}`, async (page) => {
    await menuOf(/^Actions for red-panda/)(page);
    await choose('Delete')(page);
  }),
  owner('toasts', `/dashboard/files/${full}`, async (page) => {
    for (const name of [/^Actions for red-panda/, /^Actions for harbour-at-dawn.jpg/]) {
      await menuOf(name)(page);
      await choose('Copy URL')(page);
    }
  }),
  owner('upload-image', `/dashboard/files/${full}`, press('Upload Image')),
  owner('upload-video', `/dashboard/files/${full}`, press('Upload Video')),
  owner('upload-chosen', `/dashboard/files/${empty}`, chooseImages),
  owner('uploading', `/dashboard/files/${empty}`, uploadSlowly),
  owner('uploads-tray', `/dashboard/files/${empty}`, async (page) => {
    await uploadSlowly(page);
    await press('Continue in background')(page);
  }),
  owner('token', `/dashboard/api-key/${full}`, async (page) => {
    await press('Show API key')(page);
    await press('Generate new token')(page);
    await page.getByRole('button', { name: 'Copy token' }).waitFor();
    await page.getByRole('button', { name: 'Copy token' }).scrollIntoViewIfNeeded();
  }),
  owner('regenerate', `/dashboard/api-key/${full}`, press('Regenerate')),
  owner('bucket-delete', `/dashboard/settings/${full}`, async (page) => {
    await press('Delete Bucket')(page);
    await dialog(page).waitFor();
  }),
  owner('account-delete', '/profile', async (page) => {
    await press('Delete Account')(page);
    await dialog(page).waitFor();
  }),
  owner('payment-failed', '/billing', async (page) => {
    await page.route('**/payments/stripe/update', (route) => route.fulfill({ status: 502 }));
    await page.goto('/billing/success');
    await page.getByText('An unexpected error occurred.').waitFor();
  }),
  { name: 'suspended-files', path: `/dashboard/files/${suspended}`, as: 'debtor' },
  {
    name: 'login-code',
    path: '/login',
    act: async (page) => {
      await page.getByLabel('Email').fill('noah@example.com');
      await page.getByLabel('Password', { exact: true }).fill('a harbour at work');
      await page.locator('form').getByRole('button', { name: 'Login' }).click();
      await page.getByText('Resend code').waitFor();
    },
  },
  owner('admin-user', '/admin/users', async (page) => {
    await menuOf(/^Actions for olga/)(page);
    await choose('Details')(page);
    await dialog(page).waitFor();
  }),
  owner('admin-menu', '/admin/users', menuOf(/^Actions for olga/)),
  owner('admin-ban', '/admin/users', async (page) => {
    await menuOf(/^Actions for olga/)(page);
    await choose('Ban')(page);
    await dialog(page).waitFor();
  }),
  owner('admin-log', '/admin/logs', async (page) => {
    await menuOf(/^Actions for/)(page);
    await choose('Details')(page);
    await dialog(page).waitFor();
  }),
];
