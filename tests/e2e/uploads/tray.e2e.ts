import { expect, test } from '../fixtures.ts';
import { expectNothingAside, expectSound } from '../support/look.ts';
import { expectToast } from '../support/toasts.ts';
import {
  enterBucket,
  makeShelf,
  openDialog,
  row,
  trayOf,
  trayRow,
  upload,
} from '../support/uploading.ts';

let shelf: Awaited<ReturnType<typeof makeShelf>>;
test.beforeAll(async () => {
  shelf = await makeShelf();
});

test.describe('where the server has failed', () => {
  test.use({ expectedComplaints: /status of 500/ });

  test('an upload is tried again from its row, and its URL copied there once it is ready', async ({
    page,
    context,
    server,
  }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: server.url });
    const { files, bucket } = await enterBucket(page, server);
    const uploads = `**/files/upload/image/${bucket.id}`;
    await page.route(uploads, (route) => route.fulfill({ status: 500, body: '' }));
    const dialog = await openDialog(page, 'Image');
    await dialog.getByLabel('Image', { exact: true }).setInputFiles(shelf.photos[0] ?? '');
    await dialog.getByLabel('Access control').selectOption('private');
    await dialog.getByRole('button', { name: 'Upload', exact: true }).click();
    await expect(dialog).toBeHidden();
    const failed = trayRow(page, 'dawn.jpg');
    await expect(failed).toContainText('An unexpected error occurred.');
    // It has one place: the list of interrupted uploads does not repeat it.
    await expect(page.getByRole('region', { name: 'Interrupted uploads' })).toBeHidden();
    await expectSound(page, trayOf(page));
    await page.unroute(uploads);
    await failed.getByRole('button', { name: 'Retry dawn.jpg' }).click();
    await expect(failed).toContainText('Ready.');
    await failed.getByRole('button', { name: 'Copy URL of dawn.jpg' }).click();
    await expectToast(page, 'Text copied clipboard!');
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    const [file] = await files();
    expect(copied.split('?jwt=')[0]).toBe(file?.url);
    expect((await fetch(copied)).status).toBe(200);
    expect((await fetch(file?.url ?? '')).status).toBe(401);
  });
});

test('of many files a part is shown, and more on request', async ({ page, server }) => {
  const count = 120;
  const { files } = await enterBucket(page, server);
  const dialog = await openDialog(page, 'Files');
  const texts = Array.from({ length: count }, (_, at) => ({
    name: `note-${String(at).padStart(3, '0')}.txt`,
    mimeType: 'text/plain',
    buffer: Buffer.from(`note ${at}`),
  }));
  await dialog.getByLabel('Files', { exact: true }).setInputFiles(texts);
  await dialog.getByRole('button', { name: 'Upload', exact: true }).click();
  const tray = trayOf(page);
  const lines = tray.getByRole('listitem');
  await expect(tray.getByRole('heading')).toHaveText('Uploads finished');
  await expect(lines).toHaveCount(50);
  await tray.getByRole('button', { name: '70 more' }).click();
  await expect(lines).toHaveCount(100);
  await tray.getByRole('button', { name: '20 more' }).click();
  await expect(lines).toHaveCount(count);
  await expect(tray.getByRole('button', { name: / more$/ })).toHaveCount(0);
  expect((await files()).length).toBeGreaterThan(0);
  await tray.getByRole('button', { name: 'Dismiss all' }).click();
  await expect(tray).toBeHidden();
  await expect(page.getByRole('main')).toBeFocused();
});

test('on a phone it is a sheet at the foot, collapsed until it is asked for', async ({
  page,
  server,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await enterBucket(page, server);
  await upload(page, 'Image', shelf.photos[0] ?? '');
  const tray = trayOf(page);
  const head = tray.getByRole('button', { name: 'Uploads finished' });
  await expect(head).toHaveAttribute('aria-expanded', 'false');
  const box = await tray.boundingBox();
  expect([box?.x, box?.width]).toEqual([0, 390]);
  expect((box?.y ?? 0) + (box?.height ?? 0)).toBe(844);
  expect(box?.height).toBeLessThan(60);
  await head.click();
  await expect(trayRow(page, 'dawn.jpg')).toContainText('Ready.');
  await expectNothingAside(page);
  await head.click();
  // What it covers can be scrolled above it.
  const last = row(page, 'dawn.jpg');
  await last.scrollIntoViewIfNeeded();
  await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
  const [file, sheet] = [await last.boundingBox(), await tray.boundingBox()];
  expect((file?.y ?? 0) + (file?.height ?? 0)).toBeLessThanOrEqual(sheet?.y ?? 0);
  await head.click();
  await expectSound(page, tray);
});
