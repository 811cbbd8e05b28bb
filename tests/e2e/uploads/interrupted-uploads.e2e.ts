import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { expect, test } from '../fixtures.ts';
import { holdRequests, placesOf } from '../support/hold-requests.ts';
import { expectSound } from '../support/look.ts';
import { watchSockets } from '../support/sockets.ts';
import { expectToast } from '../support/toasts.ts';
import {
  enterBucket,
  holdChunks,
  interruptAfterChunk,
  makeShelf,
  openDialog,
  question,
  remembered,
  row,
  slowDown,
  TRICKLE,
  trayOf,
  trayRow,
  UNLIMITED,
  upload,
  watchChunks,
} from '../support/uploading.ts';

/** A round trip to the page: everything that was sent to its socket before has arrived by then. */
const inOrder = (page: Page) => page.evaluate(() => {});

/** Enough to send and process a video on a busy machine. */
const UPLOAD_TIMEOUT_MS = 500_000;
const CONNECTION_LOST = 'Connection lost. Resuming when you’re back online.';

let shelf: Awaited<ReturnType<typeof makeShelf>>;
test.beforeAll(async () => {
  shelf = await makeShelf();
});

test.describe('without a connection', () => {
  test.use({ expectedComplaints: /ERR_INTERNET_DISCONNECTED|ERR_CONNECTION|WebSocket/ });

  test('an upload pauses and goes on by itself, with a socket for news of its own file', async ({
    page,
    server,
  }) => {
    await page.clock.install();
    const sockets = await watchSockets(page);
    const { files } = await enterBucket(page, server);
    await expect.poll(() => sockets.isOpen).toBe(true);
    const chunks = watchChunks(page);
    const network = await slowDown(page, UNLIMITED);
    const release = await holdChunks(page, 1);
    await upload(page, 'Video', shelf.at('holiday.mp4'));
    const tray = trayOf(page);
    await expect.poll(() => chunks.length, { timeout: UPLOAD_TIMEOUT_MS }).toBe(1);
    expect(sockets.opened).toBe(1);
    for (const type of ['file.progress', 'file.success', 'file.error', 'file.deleted']) {
      const status = type === 'file.error' ? 'error' : 'success';
      sockets.emit({ type, file_id: 'another', bucket_id: 'other', status, progress: 99 });
    }
    await inOrder(page);
    const stop = tray.getByRole('button', { name: 'Stop upload of holiday.mp4' });
    const before = await placesOf(stop);
    const shown = trayRow(page, 'holiday.mp4');
    await network.setOffline(true);
    await expect(shown).toContainText(CONNECTION_LOST);
    await expect(page.getByRole('status').filter({ hasText: CONNECTION_LOST })).toHaveCount(1);
    expect(await placesOf(stop)).toEqual(before);
    await page.clock.runFor(10_000);
    await expect(shown).toContainText(CONNECTION_LOST);
    await expect(page.locator('[data-sonner-toast]')).toHaveCount(0);
    await expect(tray.getByText('99%')).toBeHidden();
    expect(chunks).toHaveLength(1);
    await release();
    await network.setOffline(false);
    await expect(shown).not.toContainText(CONNECTION_LOST);
    await expect(shown).toContainText('Ready.', { timeout: UPLOAD_TIMEOUT_MS });
    await expect(row(page, 'holiday.mp4')).toContainText('Success');
    expect(chunks).toEqual(['202', '202', '201']);
    expect((await files()).map(({ size }) => size)).toEqual([20 * 1024 * 1024]);
    // The tray shares the page's socket, which stays open for the files that others upload.
    await expect.poll(() => sockets.isOpen).toBe(true);
  });
});

test('after a reload the same file goes on, and only what is missing is sent', async ({
  page,
  server,
}) => {
  const { files } = await enterBucket(page, server);
  const chunks = watchChunks(page);
  const dialog = await openDialog(page, 'Video');
  await dialog.getByLabel('Video', { exact: true }).setInputFiles(shelf.at('holiday.mp4'));
  await dialog.getByLabel('Access control').selectOption('private');
  const reload = await interruptAfterChunk(page, () =>
    dialog.getByRole('button', { name: 'Upload', exact: true }).click(),
  );

  const warnings: string[] = [];
  page.on('dialog', (warning) => {
    warnings.push(warning.type());
    void warning.accept();
  });
  await reload();
  expect(warnings).toEqual(['beforeunload']);

  const list = page.getByRole('region', { name: 'Interrupted uploads' });
  await expect(list).toContainText(
    /holiday\.mp4, 45%, expires in 2[34] h\. Choose the file again to resume\./,
  );
  await expectSound(page, list);
  await openDialog(page, 'Video');
  // Another file with the same name is not resumed.
  const input = dialog.getByLabel('Video', { exact: true });
  await input.setInputFiles({
    name: 'holiday.mp4',
    mimeType: 'video/mp4',
    buffer: await readFile(shelf.at('crane.mp4')),
  });
  await expect(dialog.getByRole('listitem').filter({ hasText: '426x240' })).toBeVisible();
  await expect(dialog.getByText('Resume it?')).toBeHidden();
  await dialog.getByRole('button', { name: 'Remove holiday.mp4' }).click();

  await input.setInputFiles(shelf.at('holiday.mp4'));
  await expect(
    dialog.getByText('An upload of this file was interrupted at 45%. Resume it?'),
  ).toBeVisible();
  await dialog.getByRole('button', { name: 'Resume' }).click();
  await expect(list).toBeHidden();
  await expect(dialog).toBeHidden();
  await expect(trayRow(page, 'holiday.mp4')).toContainText('Ready.', {
    timeout: UPLOAD_TIMEOUT_MS,
  });
  await expect(row(page, 'holiday.mp4')).toContainText('Success');
  expect(chunks).toEqual(['202', '202', '201']);
  const [file] = await files();
  expect(file).toMatchObject({ size: 20 * 1024 * 1024, access: 'private', status: 'success' });
  expect(await remembered(page)).toEqual([]);
  await expect(list).toBeHidden();
});

test('an image that a reload interrupts is named until it is chosen again, or discarded', async ({
  page,
  server,
}) => {
  const { files } = await enterBucket(page, server);
  page.on('dialog', (warning) => void warning.accept());
  const network = await slowDown(page, TRICKLE);
  const interrupt = async () => {
    await network.setRate(TRICKLE);
    await upload(page, 'Image', shelf.at('large.jpg'));
    await expect.poll(async () => (await remembered(page)).length).toBe(1);
    await page.reload();
    await network.setRate(UNLIMITED);
  };
  const list = page.getByRole('region', { name: 'Interrupted uploads' });
  await interrupt();
  await expect(list).toContainText('large.jpg. Choose the file again to upload it.');
  const dialog = await upload(page, 'Image', shelf.at('large.jpg'));
  await expect(list).toBeHidden();
  await expect(dialog).toBeHidden();
  await expect(row(page, 'large.jpg')).toContainText('Success');
  expect(await remembered(page)).toEqual([]);

  await interrupt();
  await list.getByRole('button', { name: 'Discard large.jpg' }).click();
  await expect(list).toBeHidden();
  expect(await remembered(page)).toEqual([]);
  expect(await files()).toHaveLength(1);
});

test('an interrupted upload can be started over, or discarded', async ({ page, server }) => {
  // The whole dialog fits, so that a click need not scroll it.
  await page.setViewportSize({ width: 1280, height: 900 });
  const { upload: uploadOf, files } = await enterBucket(page, server);
  page.on('dialog', (warning) => void warning.accept());
  const clientIdOf = async () => (await remembered(page))[0]?.clientId ?? '';
  const reload = await interruptAfterChunk(page, () =>
    upload(page, 'Video', shelf.at('holiday.mp4')),
  );
  const interrupted = await clientIdOf();
  await reload();
  const list = page.getByRole('region', { name: 'Interrupted uploads' });
  await expect(list).toBeVisible();
  const tellProgress = await holdRequests(page, `**/${interrupted}`);
  const tellSize = await holdRequests(page, '**/files/resolution/video/**');
  const dialog = await openDialog(page, 'Video');
  await dialog.getByLabel('Video', { exact: true }).setInputFiles(shelf.at('holiday.mp4'));
  const below = dialog.getByRole('button', { name: 'Upload', exact: true });
  const startOver = dialog.getByRole('button', { name: 'Start over' });
  await expect(dialog.getByText('Reading the video.')).toBeVisible();
  const before = await placesOf(below);
  tellProgress();
  await expect(dialog.getByText('Resume it?')).toBeVisible();
  // What the server tells about a video moves no button from under the pointer.
  expect(await placesOf(below)).toEqual(before);
  const asked = await placesOf(below, startOver);
  tellSize();
  await expect(dialog.getByText('426x240')).toBeVisible();
  expect(await placesOf(below, startOver)).toEqual(asked);
  await dialog.getByRole('button', { name: 'Upload', exact: true }).click();
  await expectToast(page, 'Choose whether to resume or start over first.');
  const restartDialog = question(page, 'Start over');
  await dialog.getByRole('button', { name: 'Start over' }).click();
  await expect(restartDialog).toContainText('The upload starts again from the beginning.');
  await restartDialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(dialog.getByText('Resume it?')).toBeVisible();
  expect((await uploadOf(interrupted)).body.received).toEqual([0]);
  await dialog.getByRole('button', { name: 'Start over' }).click();
  await restartDialog.getByRole('button', { name: 'Start over' }).click();
  await expect(dialog.getByText('Resume it?')).toBeHidden();
  await expect(dialog.getByRole('button', { name: '426x240' })).toBeVisible();
  expect(await placesOf(below)).toEqual(before);
  await expect.poll(async () => (await uploadOf(interrupted)).status).toBe(404);

  const reloadAgain = await interruptAfterChunk(page, () =>
    dialog.getByRole('button', { name: 'Upload', exact: true }).click(),
  );
  const started = await clientIdOf();
  expect(started).not.toBe(interrupted);
  await reloadAgain();
  const discard = page.getByRole('button', { name: 'Discard holiday.mp4' });
  await discard.click();
  const discardDialog = question(page, 'Discard upload');
  await expect(discardDialog).toContainText(
    'holiday.mp4 is 45% uploaded (9.00 MiB of 20.00 MiB). The uploaded part will be deleted. This upload can’t be resumed.',
  );
  await page.keyboard.press('Escape');
  await expect(discard).toBeFocused();
  expect((await uploadOf(started)).body.received).toEqual([0]);
  await discard.click();
  await discardDialog.getByRole('button', { name: 'Discard' }).click();
  await expect(page.getByRole('main').locator('div[aria-busy]')).toBeFocused();
  await expect(list).toBeHidden();
  expect((await uploadOf(started)).status).toBe(404);
  expect(await remembered(page)).toEqual([]);
  expect(await files()).toEqual([]);
});
