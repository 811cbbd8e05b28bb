import type { Page } from '@playwright/test';
import { COPIED_EVENT } from '../../../islands/runtime/page-events.ts';
import { DAY } from '../../../server/contract/limits.ts';
import { updateFiles } from '../../support/fixtures/file-rows.ts';
import { expect, test } from '../fixtures.ts';
import { pauseClock } from '../support/clock.ts';
import { roundTrip } from '../support/expect-hydrated.ts';
import { holdRequests } from '../support/hold-requests.ts';
import { expectReadableToasts } from '../support/look.ts';
import { enterFull, fileLink } from '../support/many-files.ts';
import { expectToast } from '../support/toasts.ts';
import { openDialog } from '../support/uploading.ts';

const clipboard = (page: Page) => page.evaluate(() => navigator.clipboard.readText());
const toasts = (page: Page) => page.locator('[data-sonner-toast]');
async function expectToShow(page: Page, show: () => Promise<unknown>) {
  await show();
  await expect.poll(() => page.clock.runFor(10).then(() => toasts(page).count())).toBe(1);
}
/** Expects the toast of `show` to last `ms` on the page's paused clock. */
async function expectToLast(page: Page, ms: number, show: () => Promise<unknown>) {
  await expectToShow(page, show);
  await page.clock.runFor(ms - 100);
  // The page renders the effect of a timer shortly after it.
  await roundTrip(page);
  expect(await toasts(page).count(), `after ${ms - 100} ms`).toBe(1);
  await page.clock.runFor(100);
  // It starts to fade only when it has been rendered again.
  await expect
    .poll(() => page.clock.runFor(100).then(() => toasts(page).count()), `after ${ms} ms`)
    .toBe(0);
}
async function act(page: Page, name: string, action: string) {
  await page.getByRole('button', { name: `Actions for ${name}` }).click();
  await page.getByRole('menuitem', { name: action, exact: true }).click();
}

test('a URL is copied as it opens: public as it is, private with a token of that file, none before it is ready', async ({
  page,
  server,
  context,
  secrets,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: server.url });
  const { rows, bucket } = await enterFull(page, server, { count: 6 });
  const path = `${server.url}/cdn/${bucket.id}`;
  const [first, second, third] = rows.map(({ id }) => id);
  const long = `${'a-long-name-'.repeat(5)}.jpg`;
  await updateFiles(server.dataDir, [first ?? ''], { name: long });
  await updateFiles(server.dataDir, [second ?? ''], { status: 'processing', playable: 0 });
  await page.reload();
  const link = page.getByRole('link', { name: `${long.slice(0, 39)}…`, exact: true });
  await expect(link).toBeVisible();

  await act(page, long, 'Copy URL');
  await expect.poll(() => clipboard(page)).toMatch(new RegExp(`^${path}/${first}/[^?]+$`));
  await act(page, 'file-00001.jpg', 'Copy URL');
  await expectToast(page, 'The file URL is not yet available.');
  expect(await clipboard(page)).not.toContain(second);
  const opening = context.waitForEvent('page');
  await act(page, 'file-00002.jpg', 'Open');
  const popup = await opening;
  await expect.poll(() => popup.url()).toMatch(new RegExp(`/${third}/[^?]+\\?jwt=[\\w.-]+$`));
  await popup.close();

  await act(page, 'file-00002.jpg', 'Copy URL');
  await expectToast(page, /The URL works until \d\d:\d\d\.$/);
  const copied = await clipboard(page);
  expect(copied).toMatch(new RegExp(`^${path}/${third}/[^?]+\\?jwt=[\\w.-]+$`));
  const jwt = new URL(copied).searchParams.get('jwt') ?? '';
  secrets.add(jwt);
  const claims = JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString());
  expect(claims).toMatchObject({ file: third, sub: bucket.id });
  expect(claims.exp - claims.iat).toBe(3600);

  await page.route(`**/files/${bucket.id}/${third}`, (route) => route.fulfill({ status: 429 }));
  await act(page, 'file-00002.jpg', 'Copy URL');
  await expectToast(page, 'An unexpected error occurred.');
});

test('a file that failed for a reason which may pass is retried from its details and its menu, and no other', async ({
  page,
  server,
}) => {
  const { rows } = await enterFull(page, server, { count: 2 });
  const [first, second] = rows.map(({ id }) => id);
  const failed = { status: 'error', playable: 0, entry: null } as const;
  const retry_until = Date.now() + DAY;
  await updateFiles(server.dataDir, [first ?? ''], { ...failed, error: 'Later.', retry_until });
  await updateFiles(server.dataDir, [second ?? ''], { ...failed, error: 'Unreadable.' });
  await page.reload();
  await page.getByRole('button', { name: 'Actions for file-00001.jpg' }).click();
  await expect(page.getByRole('menuitem', { name: 'Delete' })).toBeVisible();
  await expect(page.getByRole('menuitem', { name: 'Retry' })).toHaveCount(0);
  await page.keyboard.press('Escape');

  const call = `**/files/*/${first}/retry`;
  await page.route(call, async (route) => {
    await updateFiles(server.dataDir, [first ?? ''], { status: 'processing', retry_until: null });
    await route.fulfill({ status: 204 });
  });
  const answer = await holdRequests(page, call);
  await fileLink(page, 0).click();
  const drawer = page.getByRole('dialog', { name: 'file-00000.jpg' });
  await expect(drawer.getByText('The upload is kept until')).toBeVisible();
  const button = drawer.getByRole('button', { name: 'Retry' });
  await button.click();
  await expect(button).toHaveAttribute('aria-busy', 'true');
  answer();
  await expect(drawer.getByText('Processing 0%')).toBeVisible();
  await expect(button).toHaveCount(0);
  await page.unroute(call);

  await updateFiles(server.dataDir, [first ?? ''], { ...failed, retry_until });
  // The address names the file, so its details open again once the page's scripts run.
  await page.reload();
  await expect(drawer.getByText('The upload is kept until')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(drawer).toBeHidden();
  await act(page, 'file-00000.jpg', 'Retry');
  // Without its job, as after a week, the server refuses.
  await expectToast(page, "This file can't be retried.");
});

test('details that can not be had are told of, and a clipboard that refuses, is not there, or has nothing to take', async ({
  page,
  server,
}) => {
  const { bucket, path, rows } = await enterFull(page, server, { count: 1 });
  const [{ id = '' } = {}] = rows;
  const detail = `**/files/*/${id}`;
  await page.route(detail, (route) => route.fulfill({ status: 429, body: '' }));
  await page.goto(`${path}?file=${id}`);
  const drawer = page.getByRole('dialog', { name: 'file-00000.jpg' });
  await expect(drawer.getByText('An unexpected error occurred.')).toBeVisible();
  await page.unroute(detail);
  await drawer.getByRole('button', { name: 'Try again' }).click();
  await expect(drawer.getByText(id, { exact: true })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(drawer).toBeHidden();

  await fileLink(page, 0).waitFor();
  await page.evaluate(() => {
    navigator.clipboard.writeText = () => Promise.reject(new DOMException('', 'NotAllowedError'));
  });
  await act(page, 'file-00000.jpg', 'Copy URL');
  await expectToast(page, 'Error coping to clipboard');
  // On plain http browsers have no clipboard.
  await page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
  await act(page, 'file-00000.jpg', 'Copy URL');
  await expectToast(page, 'Error coping to clipboard');

  await page.route('**/buckets/webhook/secret/*', () => {});
  await page.goto(`/dashboard/settings/${bucket.id}/webhook`);
  await page.getByRole('button', { name: 'Copy signing secret' }).click();
  await expectToast(page, 'No text to copy here!');
  await page.unrouteAll({ behavior: 'ignoreErrors' });
});

test('toasts stand at the bottom right: a success for 2 s, an error for 4 s, never more than 20', async ({
  page,
  server,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: server.url });
  await enterFull(page, server, { count: 1 });
  await expect(page.locator('[data-island=files][data-live]')).toBeAttached();
  await page.clock.install();
  await pauseClock(page);
  await expectToLast(page, 2_000, () => act(page, 'file-00000.jpg', 'Copy URL'));
  await expectToShow(page, () => act(page, 'file-00000.jpg', 'Copy URL'));
  await expectReadableToasts(page);
  await expect.poll(() => page.clock.runFor(100).then(() => toasts(page).count())).toBe(0);
  await openDialog(page, 'Image');
  const upload = page.getByRole('dialog').getByRole('button', { name: 'Upload', exact: true });
  await expectToLast(page, 4_000, () => upload.click());

  // A form removes its errors when it is sent again, so these come from elsewhere.
  await page.evaluate((type) => {
    const detail = { copied: false, message: 'Not copied.' };
    for (let number = 0; number < 25; number += 1) {
      document.dispatchEvent(new CustomEvent(type, { detail, cancelable: true }));
    }
  }, COPIED_EVENT);
  const visible = page.locator('[data-sonner-toast][data-visible=true]');
  await expect.poll(() => page.clock.runFor(10).then(() => visible.count())).toBe(20);
  const corner = page.locator('[data-sonner-toaster][data-x-position=right]');
  await expect(corner).toHaveAttribute('data-y-position', 'bottom');
});
