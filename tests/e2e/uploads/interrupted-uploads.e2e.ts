import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { MIB } from '../../../server/contract/limits.ts';
import { expect, test } from '../fixtures.ts';
import { expectSound } from '../support/look.ts';
import {
  dialogOf,
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
  UNLIMITED,
  upload,
  watchChunks,
} from '../support/uploading.ts';

test.use({ contextOptions: { reducedMotion: 'reduce' } });

/** A round trip to the page: everything that was sent to its socket before has arrived by then. */
const inOrder = (page: Page) => page.evaluate(() => {});

/** Enough to send and process a video on a busy machine. */
const UPLOAD_TIMEOUT_MS = 200_000;
const CONNECTION_LOST = 'Connection lost. Resuming when you’re back online.';

let shelf: Awaited<ReturnType<typeof makeShelf>>;
test.beforeAll(async () => {
  shelf = await makeShelf();
});

test.describe('without a connection', () => {
  test.use({ expectedComplaints: /ERR_INTERNET_DISCONNECTED|ERR_CONNECTION|WebSocket/ });

  test('an upload pauses, and goes on by itself when it is back', async ({ page, server }) => {
    await page.clock.install();
    const { files } = await enterBucket(page, server);
    const chunks = watchChunks(page);
    const network = await slowDown(page, UNLIMITED);
    const release = await holdChunks(page, 1);
    const dialog = await upload(page, 'Video', shelf.at('holiday.mp4'));
    await expect.poll(() => chunks.length, { timeout: UPLOAD_TIMEOUT_MS }).toBe(1);
    await network.setOffline(true);
    await expect(dialog.getByText(CONNECTION_LOST)).toBeVisible();
    await page.clock.runFor(10_000);
    await expect(dialog.getByText(CONNECTION_LOST)).toBeVisible();
    await expect(page.locator('[data-sonner-toast]')).toHaveCount(0);
    expect(chunks).toHaveLength(1);
    await release();
    await network.setOffline(false);
    await expect(dialog.getByText(CONNECTION_LOST)).toBeHidden();
    await expect(dialog).toBeHidden({ timeout: UPLOAD_TIMEOUT_MS });
    await expect(row(page, 'holiday.mp4')).toContainText('Success');
    expect(chunks).toEqual(['202', '202', '201']);
    expect((await files()).map(({ size }) => size)).toEqual([20 * 1024 * 1024]);
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

  await openDialog(page, 'Video');
  const list = dialog.getByRole('region', { name: 'Interrupted uploads' });
  await expect(list).toContainText(
    /holiday\.mp4, 45 %, expires in 2[34] h\. Choose the file again to resume\./,
  );
  await expectSound(page);
  // Another file with the same name is not resumed.
  const input = dialog.getByLabel('Video', { exact: true });
  await input.setInputFiles({
    name: 'holiday.mp4',
    mimeType: 'video/mp4',
    buffer: await readFile(shelf.at('crane.mp4')),
  });
  await expect(dialog.getByRole('listitem').filter({ hasText: '640x360' })).toBeVisible();
  await expect(dialog.getByText('Resume it?')).toBeHidden();
  await dialog.getByRole('button', { name: 'Remove holiday.mp4' }).click();

  await input.setInputFiles(shelf.at('holiday.mp4'));
  await expect(
    dialog.getByText('An upload of this file was interrupted at 45 %. Resume it?'),
  ).toBeVisible();
  await expect(list).toBeHidden();
  await expectSound(page);
  await dialog.getByRole('button', { name: 'Resume' }).click();
  await expect(dialog).toBeHidden({ timeout: UPLOAD_TIMEOUT_MS });
  await expect(row(page, 'holiday.mp4')).toContainText('Success');
  expect(chunks).toEqual(['202', '202', '201']);
  const [file] = await files();
  expect(file).toMatchObject({ size: 20 * 1024 * 1024, access: 'private', status: 'success' });
  expect(await remembered(page)).toEqual([]);
});

test('an interrupted upload can be discarded, or its file started again', async ({
  page,
  server,
}) => {
  const { upload: uploadOf, files } = await enterBucket(page, server);
  const chunks = watchChunks(page);
  page.on('dialog', (warning) => void warning.accept());
  const interrupt = async () => {
    const reload = await interruptAfterChunk(page, () =>
      upload(page, 'Video', shelf.at('holiday.mp4')),
    );
    const [{ clientId = '' } = {}] = await remembered(page);
    await reload();
    return clientId;
  };
  const discarded = await interrupt();
  const dialog = await openDialog(page, 'Video');
  const discard = dialog.getByRole('button', { name: 'Discard holiday.mp4' });
  await discard.click();
  const discardDialog = question(page, 'Discard upload');
  await expect(discardDialog).toContainText(
    'holiday.mp4 is 45 % uploaded (9.00 MiB of 20.00 MiB). The uploaded part will be deleted. This upload can’t be resumed.',
  );
  await page.keyboard.press('Escape');
  await expect(discard).toBeFocused();
  expect((await uploadOf(discarded)).body.received).toEqual([0]);
  await discard.click();
  await discardDialog.getByRole('button', { name: 'Discard' }).click();
  await expect(dialog.getByLabel('Video', { exact: true })).toBeFocused();
  await expect(dialog.getByRole('region', { name: 'Interrupted uploads' })).toBeHidden();
  expect((await uploadOf(discarded)).status).toBe(404);
  expect(await remembered(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Cancel' }).click();

  const started = await interrupt();
  await openDialog(page, 'Video');
  await dialog.getByLabel('Video', { exact: true }).setInputFiles(shelf.at('holiday.mp4'));
  await expect(dialog.getByText('Resume it?')).toBeVisible();
  await dialog.getByRole('button', { name: 'Upload', exact: true }).click();
  await expect(page.getByText('Choose whether to resume or start over first.')).toBeVisible();
  const restartDialog = question(page, 'Start over');
  await dialog.getByRole('button', { name: 'Start over' }).click();
  await expect(restartDialog).toContainText('The upload starts again from the beginning.');
  await restartDialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(dialog.getByText('Resume it?')).toBeVisible();
  expect((await uploadOf(started)).body.received).toEqual([0]);
  await dialog.getByRole('button', { name: 'Start over' }).click();
  await restartDialog.getByRole('button', { name: 'Start over' }).click();
  await expect(dialog.getByText('Resume it?')).toBeHidden();
  await expect.poll(async () => (await uploadOf(started)).status).toBe(404);
  chunks.length = 0;
  await dialog.getByRole('button', { name: 'Upload', exact: true }).click();
  await expect(dialog).toBeHidden({ timeout: UPLOAD_TIMEOUT_MS });
  expect(chunks).toEqual(['202', '202', '201']);
  expect(await files()).toHaveLength(1);
});

test('two tabs send the same video at once: each its own file; one that was interrupted goes on in both as one', async ({
  page,
  context,
  server,
}) => {
  const { files, bucket, token } = await enterBucket(page, server);
  const other = await context.newPage();
  await other.goto(`/dashboard/files/${bucket.id}`);
  const tabs = [page, other];
  const chunks = tabs.map(watchChunks);
  const dialogs = tabs.map(dialogOf);
  const expectRows = async (count: number) => {
    for (const tab of tabs) {
      await expect(dialogOf(tab)).toBeHidden({ timeout: UPLOAD_TIMEOUT_MS });
      await expect(row(tab, 'holiday.mp4')).toContainText(Array(count).fill('Success'));
    }
    const all = await files();
    expect(all.map(({ size }) => size)).toEqual(Array(count).fill(20 * MIB));
    expect(new Set(all.map(({ id }) => id)).size).toBe(count);
    expect(await remembered(page)).toEqual([]);
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(`${server.url}/buckets/${bucket.id}`, { headers });
    expect(await response.json()).toMatchObject({ total_uploads: count });
  };

  const networks = await Promise.all(tabs.map((tab) => slowDown(tab, TRICKLE)));
  const unthrottle = () => Promise.all(networks.map(({ setRate }) => setRate(UNLIMITED)));
  await Promise.all(tabs.map((tab) => upload(tab, 'Video', shelf.at('holiday.mp4'))));
  for (const dialog of dialogs) await expect(dialog.getByText(/ of 20\.00 MiB · /)).toBeVisible();
  await expect.poll(async () => (await remembered(page)).length).toBe(2);
  await unthrottle();
  await expectRows(2);
  expect(chunks).toEqual(Array(2).fill(['202', '202', '201']));

  const reload = await interruptAfterChunk(page, () =>
    upload(page, 'Video', shelf.at('holiday.mp4')),
  );
  page.on('dialog', (warning) => void warning.accept());
  await reload();
  // The rate is low enough to see both uploads in progress.
  await Promise.all(networks.map(({ setRate }) => setRate(TRICKLE)));
  for (const tab of tabs) {
    const dialog = await openDialog(tab, 'Video');
    await dialog.getByLabel('Video', { exact: true }).setInputFiles(shelf.at('holiday.mp4'));
    await expect(dialog.getByText('was interrupted at 45 %. Resume it?')).toBeVisible();
  }
  await Promise.all(
    dialogs.map((dialog) => dialog.getByRole('button', { name: 'Resume' }).click()),
  );
  for (const dialog of dialogs) await expect(dialog.getByText(/ of 20\.00 MiB · /)).toBeVisible();
  await unthrottle();
  await expectRows(3);
});

test('a socket that breaks is back after three seconds, and other people’s files change nothing', async ({
  page,
  browser,
  server,
}) => {
  await page.clock.install();
  let opens = 0;
  let emit: (event: object) => void = () => {};
  let breakOff = () => {};
  const closed: number[] = [];
  await page.routeWebSocket(/\/ws\?/, (socket) => {
    opens += 1;
    const number = opens;
    const connection = socket.connectToServer();
    socket.onClose(() => {
      closed.push(number);
      void connection.close();
    });
    emit = (event) => socket.send(JSON.stringify(event));
    breakOff = () => {
      void connection.close();
      void socket.close();
    };
  });
  await enterBucket(page, server);
  expect(opens).toBe(0);
  const network = await slowDown(page, TRICKLE);
  const dialog = await upload(page, 'Video', shelf.at('holiday.mp4'));
  await expect.poll(() => opens).toBe(1);

  await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 1_000);
  breakOff();
  await inOrder(page);
  await page.clock.runFor(2_999);
  expect(opens).toBe(1);
  await page.clock.runFor(1);
  await expect.poll(() => opens).toBe(2);
  await page.clock.resume();

  const other = await browser.newContext({ baseURL: server.url });
  const theirs = await other.newPage();
  await enterBucket(theirs, server);
  const theirDialog = await upload(theirs, 'Image', shelf.photos[0] ?? '');
  await expect(theirDialog).toBeHidden({ timeout: UPLOAD_TIMEOUT_MS });
  for (const type of ['file.progress', 'file.success', 'file.error', 'file.deleted']) {
    const status = type === 'file.error' ? 'error' : 'success';
    emit({ type, fileId: '01somebodyelsesfile0000000', bucketId: 'other', status, progress: 99 });
  }
  await inOrder(page);
  await expect(dialog.getByRole('button', { name: 'Stop upload' })).toBeVisible();
  await expect(dialog.getByText('99 %')).toBeHidden();
  await network.setRate(UNLIMITED);
  await expect(dialog).toBeHidden({ timeout: UPLOAD_TIMEOUT_MS });
  await expect(row(page, 'holiday.mp4')).toContainText('Success');
  await expect(row(page, 'dawn.jpg')).toBeHidden();
  // The socket is open only while a dialog is.
  await expect.poll(() => closed).toContain(2);
  await page.clock.runFor(10_000);
  expect(opens).toBe(2);
  await other.close();
});
