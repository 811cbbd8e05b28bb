import type { Page } from '@playwright/test';
import type { SessionWire } from '../../../server/contract/wire.ts';
import { createBucket, signUp, uploadImage } from '../../support/client/api.ts';
import { fileRows, insertFiles, updateFiles } from '../../support/fixtures/file-rows.ts';
import { makePhoto } from '../../support/fixtures/make-media.ts';
import type { ServerProcess } from '../../support/server/server-process.ts';
import { ADMIN, expect, test } from '../fixtures.ts';
import { trigger } from '../support/buckets.ts';
import { type DevelopmentSite, startDevelopmentSite } from '../support/development-react.ts';
import { giveSession } from '../support/people.ts';
import { layoutShift } from '../support/shift.ts';
import { openDialog } from '../support/uploading.ts';

let site: DevelopmentSite;
test.beforeAll(async ({ serverEnv }) => {
  site = await startDevelopmentSite({ ...serverEnv, S3_URL: 'https://s3.example.com' });
});
test.afterAll(() => site.stop());

/** Another time zone and language than the server's reveal texts that depend on them. */
test.use({ timezoneId: 'Pacific/Auckland', locale: 'de-DE', expectedComplaints: /hydrat/i });

/** Collects React's messages on a page's console, except the hint about its developer tools. */
function sayingsOf(page: Page): string[] {
  const sayings: string[] = [];
  page.on('pageerror', (error) => sayings.push(String(error)));
  page.on('console', (message) => {
    const text = message.text();
    const isBad = message.type() === 'error' || /react|hydrat|warning:/i.test(text);
    if (!isBad || /React DevTools|status of \d+|preload/.test(text)) return;
    sayings.push(`${new URL(page.url()).pathname}: ${text.slice(0, 2000)}`);
  });
  return sayings;
}

/** Logs in an admin who has files of every kind. */
async function moveIn(page: Page, server: ServerProcess, session: SessionWire) {
  const bucket = await createBucket(server, session.token, 'Harbour');
  const empty = await createBucket(server, session.token, 'Quay');
  const rows = fileRows(bucket.id, 60);
  await insertFiles(server.dataDir, rows);
  const [processing, failed] = rows.map(({ id }) => [id]);
  await updateFiles(server.dataDir, processing ?? [], { status: 'processing' });
  await updateFiles(server.dataDir, failed ?? [], { status: 'error', error: 'It is no picture.' });
  const photo = new File([new Uint8Array(await makePhoto())], 'a.jpg', { type: 'image/jpeg' });
  const { id: photoId } = await uploadImage(server, bucket, photo);
  await giveSession(page, server, session);
  return { id: bucket.id, empty: empty.id, photoId, videoId: rows[3]?.id };
}

const urlOf = (path: string) => new URL(path, site.server.url).href;

/** Opens a page and waits until all of its islands are hydrated. */
async function open(page: Page, path: string) {
  await page.goto(urlOf(path));
  await expect(page).toHaveTitle(/^\S.+ · Wharf$/);
  const waiting = page.locator('[data-island]:not([data-live]):not([data-lazy])');
  await expect(waiting).toHaveCount(0);
}

const button = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name }).and(page.locator(':visible')).first();
const OVERLAYS = 'dialog[open], [popover]:popover-open:not(#toasts)';
/** Opens dialogs or menus by their buttons, and closes them again. */
async function lookInto(page: Page, ...names: (string | RegExp)[]) {
  for (const name of names) {
    await button(page, name).click();
    await expect(page.locator(OVERLAYS).first()).toBeVisible();
    await page.keyboard.press('Escape');
  }
}
async function lookIntoMenu(page: Page, ...items: string[]) {
  for (const item of items) {
    await button(page, /^Actions for/).click();
    await page.getByRole('menuitem', { name: item }).first().click();
    await expect(page.locator('dialog[open]')).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(page.locator('dialog[open]')).toHaveCount(0);
  }
}

test('no page says a word on its console, in another zone and language than the server’s', async ({
  page,
}) => {
  const sayings = sayingsOf(page);
  for (const path of ['/', '/login', '/signup', '/forgot-password', '/nowhere']) {
    await open(page, path);
  }
  const icon = await page.locator('link[rel=icon]').getAttribute('href');
  expect((await page.request.get(urlOf(icon ?? ''))).headers()['content-type']).toBe(
    'image/svg+xml',
  );
  const admin = await signUp(site.server, ADMIN);
  const { id, empty, photoId, videoId } = await moveIn(page, site.server, admin);
  await page.evaluate(() => localStorage.setItem('theme', 'light'));

  await open(page, '/dashboard?name=harb&from=2026-01-01&to=2036-01-01');
  await lookInto(page, 'Create Bucket');
  await page.getByLabel('Search between dates').click();
  await open(page, '/dashboard?name=nothing');
  await open(page, `/dashboard/bucket/${id}?unit=MiB&chartType=bandwidth`);
  await expect(page.getByRole('img', { name: /by day/ })).toBeVisible();
  await lookInto(page, /^Unit: /, /^Chart data: /);
  await trigger(page).click();
  await expect(page.getByRole('option')).toHaveCount(2);
  await open(page, `/dashboard/files/${id}?access=public`);
  for (const kind of ['Image', 'Video'] as const) {
    const dialog = await openDialog(page, kind);
    await expect(dialog).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(dialog).toBeHidden();
  }
  await lookIntoMenu(page, 'Details', 'Delete');
  await open(page, `/dashboard/files/${id}?file=${photoId}`);
  await expect(page.getByRole('dialog')).toContainText('SHA-256');
  await page.setViewportSize({ width: 390, height: 844 });
  await open(page, `/dashboard/files/${id}`);
  await page.setViewportSize({ width: 1280, height: 800 });
  await open(page, `/dashboard/files/${empty}`);
  await open(page, `/dashboard/api-key/${id}`);
  await lookInto(page, 'Regenerate');
  await button(page, 'Generate new token').click();
  await expect(button(page, 'Copy token')).toBeVisible();
  await open(page, `/dashboard/settings/${id}`);
  await lookInto(page, 'Delete Bucket');
  await open(page, `/dashboard/settings/${id}/webhook`);
  await lookInto(page, 'Rotate secret');
  for (const section of ['uploads', 'retention', 'delivery', 'access']) {
    await open(page, `/dashboard/settings/${id}/${section}`);
  }
  await open(page, '/dashboard/s3');
  await lookInto(page, 'Create key');
  await open(page, '/profile');
  await lookInto(page, 'User menu');
  await open(page, '/profile/security');
  // Without this the page would redirect during the next step, when the update has finished.
  await page.route('**/payments/stripe/update', () => {});
  await open(page, '/billing/success');
  await open(page, '/billing');
  await open(page, '/undo-email-change?token=abc');
  await open(page, `/embed/${id}/${videoId}`);
  await open(page, '/docs/uploading');

  for (const name of ['operations', 'overview', 'buckets', 'users', 'logs']) {
    await open(page, `/admin/${name}`);
    expect((await layoutShift(page)).sum, `/admin/${name}`).toBe(0);
  }
  await lookIntoMenu(page, 'Details');
  await open(page, '/admin/users?verified=true');
  await lookIntoMenu(page, 'Details');
  await open(page, '/admin/buckets?name=harbour');
  await lookIntoMenu(page, 'Details', 'Ban', 'Delete');

  expect(sayings).toEqual([]);
  const isIsland = (name: string) => name.endsWith('-island.js');
  expect([...site.requested].filter(isIsland).sort()).toEqual(site.names.filter(isIsland).sort());
});

test('a page that is not what its island renders would be told of, an attribute too', async ({
  page,
}) => {
  const sayings = sayingsOf(page);
  await page.route(urlOf('/login'), async (route) => {
    const response = await route.fetch();
    const body = (await response.text()).replace('type="email"', 'type="email" title="Other"');
    await route.fulfill({ response: response, body });
  });
  await open(page, '/login');
  await expect.poll(() => sayings.join()).toMatch(/hydrat.*attributes/is);
});
