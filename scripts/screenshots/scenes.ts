import type { Page } from '@playwright/test';

export type Scene = {
  name: string;
  path: string;
  /** Seen by who is logged in. */
  isPrivate: boolean;
  /** What is done before the picture is taken, which then shows the window and not the whole page. */
  act?: (page: Page) => Promise<unknown>;
};

const visitor = (name: string, path: string): Scene => ({ name, path, isPrivate: false });
const owner = (name: string, path: string, act?: Scene['act']): Scene => ({
  name,
  path,
  isPrivate: true,
  act,
});
const press = (name: string) => (page: Page) => page.getByRole('button', { name }).first().click();

/** Every page, and what opens on some. */
export const scenes = ({ empty, full, file }: { empty: string; full: string; file: string }) => [
  visitor('landing', '/'),
  visitor('login', '/login'),
  visitor('signup', '/signup'),
  visitor('forgot-password', '/forgot-password'),
  visitor('docs', '/docs'),
  visitor('guide', '/docs/quick-start'),
  visitor('not-found', '/nowhere'),
  owner('buckets', '/dashboard'),
  owner('buckets-none', '/dashboard?name=nothing'),
  owner('create-bucket', '/dashboard', press('Create bucket')),
  owner('overview', `/dashboard/bucket/${full}`),
  owner('picker', `/dashboard/bucket/${full}`, async (page) => {
    await page.locator('[popovertarget=bucket-picker]').click();
    await page.getByRole('option').first().waitFor();
  }),
  owner('files', `/dashboard/files/${full}`),
  owner('files-none', `/dashboard/files/${empty}`),
  owner('file', `/dashboard/files/${full}?file=${file}`, (page) =>
    page.getByText('SHA-256').waitFor(),
  ),
  owner('upload-image', `/dashboard/files/${full}`, press('Upload Image')),
  owner('upload-video', `/dashboard/files/${full}`, press('Upload Video')),
  owner('api-key', `/dashboard/api-key/${full}`),
  owner('settings', `/dashboard/settings/${full}`),
  owner('profile', '/profile'),
  owner('billing', '/billing'),
  owner('admin-overview', '/admin/overview'),
  owner('admin-buckets', '/admin/buckets'),
  owner('admin-users', '/admin/users'),
  owner('admin-user', '/admin/users', async (page) => {
    await page
      .getByRole('button', { name: /^Actions for/ })
      .first()
      .click();
    await page.getByRole('menuitem', { name: 'Details' }).click();
    await page.getByRole('dialog').waitFor();
  }),
  owner('admin-logs', '/admin/logs'),
];
