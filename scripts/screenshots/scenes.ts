import { ACCOUNT_STATES } from './account-states.ts';
import { ADMIN_STATES } from './admin-states.ts';
import { BUCKET_STATES } from './bucket-states.ts';
import { FILE_STATES, UPLOAD_STATES } from './file-states.ts';
import { FOLDER_STATES } from './folder-states.ts';
import { IMPORT_STATES } from './import-states.ts';
import { MAIL_STATES } from './mail-states.ts';
import { breakCalls, failed, ownerAt, press, type Scene, visitorAt } from './scene.ts';

const visitor = (name: string, path: string, more?: Partial<Scene>): Scene => ({
  name,
  path,
  ...more,
});
const owner = (name: string, path: string, more?: Partial<Scene>): Scene => ({
  name,
  path,
  as: 'owner',
  ...more,
});

/** Every page in its initial state. */
export const PAGES: Scene[] = [
  visitor('landing', '/'),
  visitor('login', '/login'),
  visitor('signup', '/signup'),
  visitor('forgot-password', '/forgot-password'),
  visitor('docs', '/docs', { isLong: true }),
  visitor('docs-call', '/docs/api/buckets#post-buckets', { isLong: true }),
  visitor('guide', '/docs/quick-start'),
  visitor('guide-transforms', '/docs/transforms'),
  visitor('guide-webhooks', '/docs/webhooks'),
  visitor('guide-settings', '/docs/settings', { isLong: true }),
  visitor('guide-s3', '/docs/s3-clients', { isLong: true }),
  visitor('undo-email-change', '/undo-email-change'),
  visitor('not-found', '/nowhere'),
  visitor('embed-sample', '/embed/sample', { isLong: true }),
  visitor('embed-not-video', '/embed/:full/:file'),
  visitor('embed-failed', '/embed/:full/:failed'),
  owner('embed-private', '/embed/:full/:video'),
  owner('landing-owner', '/', { isLong: true }),
  owner('buckets', '/dashboard'),
  owner('buckets-none', '/dashboard?name=nothing'),
  { name: 'buckets-first', path: '/dashboard', as: 'newcomer' },
  owner('overview', '/dashboard/bucket/:full?chartType=bandwidth'),
  owner('overview-new', '/dashboard/bucket/:empty'),
  { name: 'buckets-unavailable', path: '/dashboard', as: 'debtor' },
  { name: 'banned', path: '/dashboard/bucket/:banned', as: 'debtor' },
  { name: 'suspended', path: '/dashboard/bucket/:suspended', as: 'debtor' },
  owner('files', '/dashboard/files/:full', { isLong: true }),
  owner('files-none', '/dashboard/files/:empty'),
  owner('files-trash', '/dashboard/files/:full?trash'),
  owner('files-narrowed', '/dashboard/files/:empty?access=private&file_type=video'),
  owner('api-key', '/dashboard/api-key/:full'),
  owner('settings', '/dashboard/settings/:full'),
  owner('settings-webhook', '/dashboard/settings/:full/webhook'),
  owner('settings-uploads', '/dashboard/settings/:full/uploads'),
  owner('settings-retention', '/dashboard/settings/:full/retention'),
  owner('settings-delivery', '/dashboard/settings/:full/delivery'),
  owner('settings-access', '/dashboard/settings/:full/access'),
  owner('s3', '/dashboard/s3'),
  owner('settings-new', '/dashboard/settings/:empty'),
  owner('settings-gone', '/dashboard/settings/:gone/webhook'),
  owner('profile', '/profile'),
  owner('security', '/profile/security'),
  owner('billing', '/billing'),
  owner('statement', `/billing/print/${new Date().toISOString().slice(0, 7)}`),
  { name: 'billing-empty', path: '/billing', as: 'debtor' },
  owner('bad-request', '/dashboard/settings'),
  owner('admin-overview', '/admin/overview?chartType=bandwidth&unit=MiB'),
  owner('admin-buckets', '/admin/buckets'),
  owner('admin-buckets-none', '/admin/buckets?name=nothing'),
  owner('admin-users', '/admin/users'),
  owner('admin-logs', '/admin/logs', { isLong: true }),
  owner('admin-operations', '/admin/operations'),
];

/** What opens from the top bar, and what every page can show. */
const BAR_STATES: Scene[] = [
  ownerAt('menu', '/dashboard', async (page) => {
    const compact = page.getByRole('button', { name: 'Menu', exact: true });
    if (await compact.isVisible()) await compact.click();
    else await press('User menu')(page);
  }),
  ownerAt('shortcuts', '/dashboard', (page) => page.keyboard.press('?')),
  ownerAt('offline', '/dashboard', async (page) => {
    await page.context().setOffline(true);
    await page.getByText('You’re offline.').waitFor();
  }),
  ownerAt('focus', '/dashboard', async (page) => {
    for (let at = 0; at < 4; at += 1) await page.keyboard.press('Tab');
  }),
  ownerAt('picker', '/dashboard/bucket/:full', async (page) => {
    await page.locator('[popovertarget=bucket-picker]').click();
    await page.getByRole('option').first().waitFor();
  }),
  ownerAt('picker-none', '/dashboard/bucket/:full', async (page) => {
    await page.locator('[popovertarget=bucket-picker]').click();
    await page.getByRole('combobox', { name: 'Search Bucket' }).fill('nothing');
    await page.getByText('No buckets to diplay.').waitFor();
  }),
  ownerAt('picker-failed', '/dashboard/bucket/:full', async (page) => {
    await breakCalls(page, '**/buckets?*');
    await page.locator('[popovertarget=bucket-picker]').click();
    await failed(page);
  }),
];

const DOCS_STATES: Scene[] = [
  visitorAt('docs-search', '/docs', async (page) => {
    await page.getByLabel('Search the documentation').fill('upload image');
    await page.getByRole('navigation', { name: 'Search results' }).waitFor();
  }),
  visitorAt('docs-search-none', '/docs', async (page) => {
    await page.getByLabel('Search the documentation').fill('nonsense');
    await page.getByText('No calls match your search.').waitFor();
  }),
];

/** What opens on the pages, and how they look when something happens. */
export const STATES: Scene[] = [
  ...BAR_STATES,
  ...BUCKET_STATES,
  ...FILE_STATES,
  ...FOLDER_STATES,
  ...UPLOAD_STATES,
  ...IMPORT_STATES,
  ...ACCOUNT_STATES,
  ...ADMIN_STATES,
  ...DOCS_STATES,
  ...MAIL_STATES,
];
