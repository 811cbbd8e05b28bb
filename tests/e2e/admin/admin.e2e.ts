import type { Page } from '@playwright/test';
import type { SessionWire } from '../../../server/contract/wire.ts';
import { createBucket, signUp, uploadImage } from '../../support/client/api.ts';
import { makePhoto } from '../../support/fixtures/make-media.ts';
import type { ServerProcess } from '../../support/server/server-process.ts';
import { ADMIN, expect, test } from '../fixtures.ts';
import { queriesOf } from '../support/buckets.ts';
import { holdRequests } from '../support/hold-requests.ts';
import { expectSound } from '../support/look.ts';
import { giveSession, newAddress, PASSWORD } from '../support/people.ts';

/** Opens a page in a session. */
async function openAs(page: Page, server: ServerProcess, session: SessionWire, path: string) {
  await giveSession(page, server, session);
  await page.goto(path);
}

/** Signs up another user, who has a bucket with an image. */
async function somebody(server: ServerProcess, name: string) {
  const email = newAddress('owner');
  const session = await signUp(server, email, PASSWORD);
  const bucket = await createBucket(server, session.token, name);
  const photo = new File([new Uint8Array(await makePhoto())], 'a.jpg', { type: 'image/jpeg' });
  const { url } = await uploadImage(server, bucket, photo);
  return { email, bucket, url: url ?? '' };
}

const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });
async function act(page: Page, name: string, action: string) {
  await page.getByRole('button', { name: `Actions for ${name}` }).click();
  await page.getByRole('menuitem', { name: action, exact: true }).click();
}
const dialog = (page: Page) => page.getByRole('dialog');
const status = async (url: string) => (await fetch(url)).status;

test('the overview: charts, their units, the sums and the jobs', async ({
  page,
  server,
  admin,
}) => {
  await somebody(server, 'Charted');
  await openAs(page, server, admin, '/dashboard');
  await page.getByRole('link', { name: 'Admin' }).click();
  await expect(page).toHaveURL('/admin/overview');
  await expect(page.getByRole('navigation', { name: 'Admin' }).getByRole('link')).toHaveText([
    'Overview',
    'Buckets',
    'Users',
    'Logs',
    'Operations',
  ]);
  await expect(page.locator('[data-bar]').last()).toBeVisible();
  const chart = page.getByRole('img', { name: /by day/ });
  expect((await chart.boundingBox())?.height).toBe(500);
  const month = new Date().toISOString().slice(0, 7).split('-').reverse().join('/');
  await expect(page.getByLabel('Search between dates')).toHaveValue(
    new RegExp(`^01/${month} – (28|29|30|31)/${month}$`),
  );
  const unit = page.getByRole('button', { name: /^Unit: / });
  const choose = async (label: string, option: string) => {
    await page.getByRole('button', { name: new RegExp(`^${label}: `) }).click();
    await page.getByRole('menuitemradio', { name: option, exact: true }).click();
  };
  await expect(unit).toHaveText('KiB');
  await choose('Unit', 'MiB');
  await expect(page).toHaveURL('/admin/overview?unit=MiB');
  await choose('Chart type', 'Revenue');
  await expect(unit).toHaveText('Revenue USD $');
  await expect(chart).toHaveAccessibleName(/^Revenue by day, in USD/);
  await choose('Chart type', 'Bandwidth');
  await expect(unit).toHaveText('KiB');
  for (const label of ['Disk usage', 'Bandwidth', 'Total uploads', 'Revenue']) {
    const figure = page.locator('dl > div').filter({ hasText: label }).first();
    await expect(figure.locator('dd')).toHaveText(/\d/);
  }
  await expectSound(page, page.getByRole('main'));

  // Nobody has made a backup of the test's server.
  await page.getByRole('link', { name: /^See what to do/ }).click();
  await expect(page).toHaveURL('/admin/operations');
  const attention = page.getByRole('region', { name: 'What to do' });
  await expect(attention.getByRole('listitem').filter({ hasText: 'No backup' })).toContainText(
    'Run wharf backup with a folder on another disk',
  );
  await expect(page.getByRole('region', { name: 'Jobs' })).toContainText('Queued');
  await expect(page.getByRole('region', { name: 'Storage' })).toContainText('Disk space left');
  await expect(page.getByRole('region', { name: 'Health' })).toContainText('DatabaseWorks');
  await expectSound(page, page.getByRole('main'));
});

test('buckets: found by words, banned and brought back, deleted by name', async ({
  page,
  server,
  admin,
}) => {
  const { email, bucket, url } = await somebody(server, 'Northern harbour');
  await openAs(page, server, admin, '/admin/buckets');
  await expect(page.getByRole('columnheader')).toHaveText([
    'Region',
    'Name',
    'Owner',
    'Usage',
    'Bandwidth',
    'Spend',
    'Total Uploads',
    'Created at',
    'Actions',
  ]);
  const queries = queriesOf(page, '/admin/buckets');
  await page.getByRole('searchbox').fill('harbour northern');
  await expect(page).toHaveURL('/admin/buckets?name=harbour+northern');
  await expect(page.getByRole('row')).toHaveCount(2);
  await expect.poll(() => queries.at(-1)).toContain('name=harbour%26northern');

  await act(page, bucket.name, 'Details');
  await expect(dialog(page)).toContainText(email);
  await expect(dialog(page)).toContainText(bucket.id);
  await expectSound(page, dialog(page));
  await page.keyboard.press('Escape');
  await expect(dialog(page)).toBeHidden();

  await act(page, bucket.name, 'Ban');
  await dialog(page).getByRole('button', { name: 'Ban' }).click();
  await expect(row(page, bucket.name)).toContainText('Banned');
  expect(await status(url)).toBe(404);
  await act(page, bucket.name, 'Unban');
  await dialog(page).getByRole('button', { name: 'Unban' }).click();
  await expect(row(page, bucket.name)).not.toContainText('Banned');
  expect(await status(url)).toBe(200);

  await act(page, bucket.name, 'Delete');
  const remove = dialog(page).getByRole('button', { name: 'Delete' });
  await expect(remove).toBeDisabled();
  await expect(dialog(page)).toContainText('(1 file, ');
  await dialog(page).getByLabel('Name of the bucket').fill(bucket.name);
  await remove.click();
  await expect(dialog(page)).toBeHidden();
  await expect.poll(() => status(url)).toBe(404);
  await page.setViewportSize({ width: 1440, height: 900 });
});

test('users: filtered, credited, banned and deleted by their address; never the admin', async ({
  page,
  server,
  admin,
}) => {
  const { email, url } = await somebody(server, 'Theirs');
  await openAs(page, server, admin, `/admin/users?email=${email}`);
  await expect(page.getByRole('columnheader')).toHaveText([
    'Active',
    'Email',
    'Verified',
    'Buckets',
    'Storage',
    'Bandwidth',
    'Spend',
    'Balance',
    'Created at',
    'Actions',
  ]);
  await expect(row(page, email)).toBeVisible();

  await page.getByRole('link', { name: email }).click();
  await expect(dialog(page)).toContainText('$1.00');
  await dialog(page).getByLabel('Grant credit, USD').fill('2.345');
  await dialog(page).getByRole('button', { name: 'Grant credit' }).click();
  await expect(dialog(page).getByRole('alert')).toBeVisible();
  await dialog(page).getByLabel('Grant credit, USD').fill('2.5');
  const showList = await holdRequests(page, /\/admin\/users\?/);
  await dialog(page).getByRole('button', { name: 'Grant credit' }).click();
  await expect(dialog(page)).toContainText('$3.50');
  // The next amount is typed while the list behind is still loaded, and stays.
  await dialog(page).getByLabel('Grant credit, USD').fill('-3.75');
  showList();
  await dialog(page).getByRole('button', { name: 'Grant credit' }).click();
  const deductDialog = page.getByRole('dialog', { name: 'Deduct credit' });
  await expect(deductDialog).toContainText(
    `${email} loses $3.75, which leaves -$0.25. If payments are enabled,`,
  );
  await page.keyboard.press('Escape');
  await expect(deductDialog).toBeHidden();
  await expect(dialog(page)).toContainText('$3.50');
  await dialog(page).getByLabel('Grant credit, USD').fill('-0.5');
  await dialog(page).getByRole('button', { name: 'Grant credit' }).click();
  await deductDialog.getByRole('button', { name: 'Deduct credit' }).click();
  await expect(deductDialog).toBeHidden();
  await expect(dialog(page)).toContainText('$3.00');

  const limit = dialog(page).getByLabel('Storage limit, GiB');
  await limit.fill('1.234');
  await dialog(page).getByRole('button', { name: 'Set limit' }).click();
  await expect(dialog(page).getByRole('alert')).toHaveText(/Enter a number from 0 to 1,048,576/);
  await limit.fill('1.5');
  await dialog(page).getByRole('button', { name: 'Set limit' }).click();
  await expect(dialog(page)).toContainText(/ of 1\.50 GiB/);
  await limit.fill('');
  await dialog(page).getByRole('button', { name: 'Set limit' }).click();
  await expect(dialog(page)).toContainText(/, no limit/);
  await page.keyboard.press('Escape');

  await act(page, email, 'Ban');
  await dialog(page).getByRole('button', { name: 'Ban' }).click();
  await expect(row(page, email)).toContainText('Banned');
  expect(await status(url)).toBe(404);
  await page.getByRole('button', { name: 'Active', exact: true }).click();
  await expect(page).toHaveURL(/active=true/);
  await expect(page.getByText('No users here.')).toBeVisible();
  await page.getByRole('button', { name: 'Active', exact: true }).click();

  await act(page, email, 'Delete');
  await expect(dialog(page)).toContainText(/\(1 bucket, 1 file, .*, a balance of \$3\.00\)/);
  await dialog(page).getByLabel('Email of the user').fill(email);
  await dialog(page).getByRole('button', { name: 'Delete' }).click();
  await expect(dialog(page)).toBeHidden();
  await expect(row(page, email)).toHaveCount(0);

  await page.goto(`/admin/users?email=${ADMIN}`);
  await page.getByRole('button', { name: `Actions for ${ADMIN}` }).click();
  await expect(page.getByRole('menuitem')).toHaveText(['Details']);
  await page.keyboard.press('Escape');
  await expectSound(page, page.getByRole('main'));
});

test('lists: sorted by their figures, and from an account to its buckets and back', async ({
  page,
  server,
  admin,
}) => {
  const { email, bucket } = await somebody(server, 'Sorted');
  await openAs(page, server, admin, '/admin/users');
  const head = (name: string) => page.getByRole('columnheader', { name });
  await page.getByRole('button', { name: 'Storage' }).click();
  await expect(page).toHaveURL('/admin/users?sort=storage');
  await expect(head('Storage')).toHaveAttribute('aria-sort', 'descending');
  await page.getByRole('button', { name: 'Balance' }).click();
  await expect(head('Balance')).toHaveAttribute('aria-sort', 'ascending');
  await page.getByRole('button', { name: 'Balance' }).click();
  await expect(page).toHaveURL('/admin/users?sort=balance&order=desc');
  await page.getByRole('button', { name: 'Balance' }).click();
  await expect(page).toHaveURL('/admin/users');

  await row(page, email).getByRole('link', { name: '1 bucket of this account' }).click();
  await expect(page).toHaveURL(/\/admin\/buckets\?owner=/);
  await expect(page.getByRole('row')).toHaveCount(2);
  await expect(row(page, bucket.name)).toContainText(email);
  await expect(page.getByText('newest first. 1 bucket.')).toBeVisible();
  await page.getByRole('button', { name: `Owner ${email}` }).click();
  await expect(page).toHaveURL('/admin/buckets');
  await row(page, bucket.name).getByRole('link', { name: email }).click();
  await expect(dialog(page)).toContainText('$1.00');
  await dialog(page).getByRole('link', { name: 'View buckets' }).click();
  await expect(page.getByRole('row')).toHaveCount(2);
  await expectSound(page, page.getByRole('main'));
});

test('logs: by section, whole in a drawer, saved, and deleted with a trace', async ({
  page,
  server,
  admin,
}) => {
  const { email, bucket } = await somebody(server, 'Logged');
  await openAs(page, server, admin, `/admin/logs?subject=${bucket.id}`);
  const entry = page.getByRole('button', { name: 'Bucket “Logged” created.', exact: true });
  await expect(entry).toBeVisible();
  await expect(page.getByText('Entries can’t be edited; deleting one hides it')).toBeVisible();
  await expect(row(page, 'Bucket “Logged” created.')).toContainText(email);
  await entry.click();
  await expect(dialog(page)).toContainText('bucket.created');
  await page.keyboard.press('Escape');
  await expectSound(page, page.getByRole('main'));
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'CSV' }).click();
  expect((await download).suggestedFilename()).toBe('audit-log.csv');
  await act(page, 'Bucket “Logged” created.', 'Delete');
  await expect(dialog(page)).toContainText(
    'The deletion itself is logged, with the text of the entry.',
  );
  await page.keyboard.press('Escape');
  await expect(dialog(page)).toBeHidden();
  await expect(entry).toBeVisible();
  await act(page, 'Bucket “Logged” created.', 'Delete');
  await dialog(page).getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByText('Log entry deleted: Bucket “Logged” created.')).toBeVisible();
  await expect(entry).toHaveCount(0);
  await page.getByRole('button', { name: 'Users', exact: true }).click();
  await expect(page).toHaveURL(/section=users/);
  await expect(page.getByText('No logs here.')).toBeVisible();
});
