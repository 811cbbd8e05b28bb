import { expect, test } from '../fixtures.ts';
import { holdRequests, placesOf } from '../support/hold-requests.ts';
import { press, pressTogether, tabTo } from '../support/keyboard.ts';
import { expectSound } from '../support/look.ts';
import { expectToast, otherToasts } from '../support/toasts.ts';
import {
  dialogOf,
  enterBucket,
  holdChunks,
  makeShelf,
  openDialog,
  question,
  remembered,
  row,
  SLOW,
  slowDown,
  TRICKLE,
  trayOf,
  trayRow,
  upload,
  waitForChunk,
} from '../support/uploading.ts';

let shelf: Awaited<ReturnType<typeof makeShelf>>;
test.beforeAll(async () => {
  shelf = await makeShelf();
});

test('several images go together; one that is refused says so, and the others go on', async ({
  page,
  server,
}) => {
  const { files } = await enterBucket(page, server);
  const dialog = await openDialog(page, 'Image');
  await dialog.getByRole('button', { name: 'Upload', exact: true }).click();
  await expectToast(page, 'No file provided.');
  await expect(dialog.getByRole('alert')).toHaveText('No file provided.');
  await expect(dialog.getByText('Max 50 MiB.')).toBeVisible();

  const input = dialog.getByLabel('Image', { exact: true });
  await input.setInputFiles([shelf.at('crane.mp4')]);
  await expect(dialog.getByRole('alert')).toHaveText(
    'crane.mp4 is not a JPEG, PNG, WebP, GIF, SVG, AVIF, HEIC, TIFF or BMP image.',
  );
  await input.setInputFiles([...shelf.photos, shelf.at('broken.jpg')]);
  expect(await input.getAttribute('accept')).toBe(
    'image/jpeg,image/png,image/webp,image/gif,image/svg+xml,image/avif,image/heic,image/heif,image/tiff,image/bmp',
  );
  const selectedFiles = dialog.getByRole('list', { name: 'Chosen files' });
  await expect(selectedFiles.getByRole('listitem')).toHaveCount(3);
  await expect(selectedFiles.getByRole('listitem').first().locator('img')).toBeVisible();
  await input.setInputFiles(shelf.photos);
  await expect(selectedFiles.getByRole('listitem')).toHaveCount(3);
  const webp = dialog.getByLabel('Convert to WebP');
  await dialog.getByLabel('WebP for dawn.jpg').check();
  await expect(webp).toBeChecked({ indeterminate: true });
  await expectSound(page, dialog);
  await webp.click();
  await expect(webp).toBeChecked();
  await dialog.getByLabel('WebP for dusk.jpg').uncheck();

  await dialog.getByRole('button', { name: 'Upload', exact: true }).click();
  await expect(dialog).toBeHidden();
  await expect(row(page, 'dawn.jpg')).toContainText('Success');
  await expect(row(page, 'dusk.jpg')).toContainText('Success');
  const urls = (await files()).map(({ url }) => url?.split('/').at(-1)).sort();
  expect(urls).toEqual(['dawn.webp', 'dusk.jpg']);

  const tray = trayOf(page);
  const failed = trayRow(page, 'broken.jpg');
  await expect(failed).toContainText('not a JPEG');
  await expect(tray.getByRole('heading')).toHaveText('Uploads finished (1 failed)');
  await expect(page.getByRole('status').filter({ hasText: 'broken.jpg: ' })).toHaveCount(1);
  // The server would refuse it each time, and its row is the one place that says so.
  await expect(failed.getByRole('button', { name: 'Retry' })).toHaveCount(0);
  expect(otherToasts(page)).toEqual([]);
  for (const button of await tray.getByRole('listitem').getByRole('button').all())
    expect((await button.boundingBox())?.height).toBeGreaterThanOrEqual(44);
  await expectSound(page, tray);
  await failed.getByRole('button', { name: 'Dismiss broken.jpg' }).click();
  await expect(failed).toBeHidden();
  await expect(tray.getByRole('button', { name: /Uploads finished/ })).toBeFocused();
  await expect(tray.getByRole('listitem')).toHaveCount(2);
  await tray.getByRole('button', { name: 'Dismiss all' }).click();
  await expect(tray).toBeHidden();
  await openDialog(page, 'Image');
  await expect(selectedFiles).toBeHidden();
});

test('an upload that is stopped is gone from the server, and its dialog was ready before', async ({
  page,
  server,
}) => {
  const { files, upload: uploadOf } = await enterBucket(page, server);
  await slowDown(page, SLOW);
  await holdChunks(page, 1);
  const chunkResponse = waitForChunk(page);
  const dialog = await upload(page, 'Video', shelf.at('holiday.mp4'));
  await expect(dialog).toBeHidden();
  const tray = trayOf(page);
  await expect(tray.getByText(/ of 20\.00 MiB · .*\/s · \d+ s left/)).toBeVisible();
  await chunkResponse;
  const [{ clientId = '' } = {}] = await remembered(page);
  expect((await uploadOf(clientId)).body.received).toContain(0);

  // The page asks before it is left and before an upload is stopped. Staying loses nothing.
  const leaving = page.waitForEvent('dialog');
  await page.evaluate(() => setTimeout(() => location.assign('/dashboard')));
  expect((await leaving).type()).toBe('beforeunload');
  await (await leaving).dismiss();
  const stop = tray.getByRole('button', { name: 'Stop upload of holiday.mp4' });
  const stopDialog = question(page, 'Stop upload');
  await stop.click();
  await expect(stopDialog).toContainText(
    /holiday\.mp4 is being uploaded \([\d.]+ MiB of 20\.00 MiB\)\./,
  );
  await expect(stopDialog).toContainText('this upload can’t be resumed.');
  await expectSound(page, stopDialog);
  await page.keyboard.press('Escape');
  await expect(stopDialog).toBeHidden();
  await expect(stop).toBeFocused();
  await stop.click();
  await stopDialog.getByRole('button', { name: 'Keep uploading' }).click();
  await expect(stopDialog).toBeHidden();
  expect((await uploadOf(clientId)).body.received).toContain(0);
  expect(await remembered(page)).toHaveLength(1);

  await stop.click();
  await stopDialog.getByRole('button', { name: 'Stop upload' }).click();
  await expect(trayRow(page, 'holiday.mp4')).toContainText('Stopped.');
  expect((await uploadOf(clientId)).status).toBe(404);
  expect(await remembered(page)).toEqual([]);
  expect(await files()).toEqual([]);
  await expect(page.getByText('No files here.')).toBeVisible();

  await openDialog(page, 'Video');
  await expect(dialog.getByRole('list', { name: 'Chosen files' })).toBeHidden();
  await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeEnabled();
});

test('a file that is being processed is stopped by deleting it', async ({ page, server }) => {
  const { files, bucket } = await enterBucket(page, server);
  // The page does not learn that the processing has ended, as it may before a busy browser presses a button.
  await holdRequests(page, `**/files/${bucket.id}?*`);
  await upload(page, 'Video', shelf.at('crane.mp4'));
  const stop = trayOf(page).getByRole('button', { name: 'Stop upload of crane.mp4' });
  await expect(trayRow(page, 'crane.mp4')).toContainText('Uploaded. Processing the file.');
  await stop.click();
  const stopDialog = question(page, 'Stop upload');
  await expect(stopDialog).toContainText('The file will be permanently deleted.');
  await page.keyboard.press('Escape');
  expect(await files()).toHaveLength(1);
  await stop.click();
  await stopDialog.getByRole('button', { name: 'Stop upload' }).click();
  await expect(trayRow(page, 'crane.mp4')).toContainText('Stopped.');
  expect(await files()).toEqual([]);
});

test('the server tells a video’s size, from its end too, and clears what is no video', async ({
  page,
  server,
}) => {
  const { files } = await enterBucket(page, server);
  const statuses: number[] = [];
  page.on('response', (response) => {
    if (response.url().includes('/files/resolution/video/')) statuses.push(response.status());
  });
  const dialog = await openDialog(page, 'Video');
  await dialog.getByLabel('Resolutions').click({ force: true });
  await expectToast(page, 'A video must be selected before adding resolutions.');
  await dialog.getByRole('button', { name: 'Upload', exact: true }).click();
  await expectToast(page, 'The video file is required.');
  const input = dialog.getByLabel('Video', { exact: true });
  const tellSize = await holdRequests(page, '**/files/resolution/video/**');
  await input.setInputFiles(shelf.at('square.mp4'));
  await expect(dialog.getByText('Reading the video.')).toBeVisible();
  const below = dialog.getByRole('button', { name: 'Upload', exact: true });
  const before = await placesOf(below);
  tellSize();
  await expect(dialog.getByText('Aspect ratio not supported.')).toBeVisible();
  expect(await placesOf(below)).toEqual(before);
  await dialog.getByRole('button', { name: 'Custom' }).click();
  await expect(dialog.getByText('Leave empty to keep the video’s size.')).toBeVisible();
  await dialog.getByRole('button', { name: 'Remove square.mp4' }).click();
  await input.setInputFiles(shelf.at('broken.mp4'));
  await expectToast(page, "This video format isn't supported.");
  await expect(dialog.getByRole('listitem')).toHaveCount(0);

  statuses.length = 0;
  await input.setInputFiles(shelf.at('late.mp4'));
  const ladderOf = (name: string) =>
    dialog.getByRole('group', { name: `Resolutions for ${name}` }).getByRole('button');
  await expect(ladderOf('late.mp4')).toHaveText(['640x360', '426x240', 'Custom']);
  await expect(ladderOf('late.mp4').and(page.locator('[aria-pressed=true]'))).toHaveCount(2);
  expect(statuses).toEqual([422, 200]);

  await input.setInputFiles(shelf.at('tall.mp4'));
  await expect(ladderOf('tall.mp4')).toHaveText(['360x640', '240x426', 'Custom']);
  await ladderOf('late.mp4').filter({ hasText: '640x360' }).click();
  await ladderOf('tall.mp4').filter({ hasText: 'Custom' }).click();
  const custom = dialog.getByLabel('Resolutions', { exact: true });
  await expect(custom).toHaveValue('360x640, 240x426');
  await custom.fill('180x320');
  await expectSound(page, dialog);
  await dialog.getByRole('button', { name: 'Remove late.mp4' }).click();
  await dialog.getByRole('button', { name: 'Upload', exact: true }).click();
  await expect(dialog).toBeHidden();
  await expect(row(page, 'tall.mp4')).toContainText('Success');
  const [file] = await files();
  expect(file).toMatchObject({ name: 'tall.mp4', status: 'success' });
  const playlist = await (await fetch(file?.url ?? '')).text();
  const sizes = new Set(playlist.match(/(?<=RESOLUTION=)\d+x\d+/g));
  expect([...sizes]).toEqual(['180x320']);
});

test('what goes on in the tray can be seen and stopped, and its dialog used again', async ({
  page,
  server,
}) => {
  const { files } = await enterBucket(page, server);
  await holdChunks(page, 1);
  const dialog = await upload(page, 'Video', [shelf.at('holiday.mp4'), shelf.at('crane.mp4')]);
  await expect(dialog).toBeHidden();
  const tray = trayOf(page);
  await expect(tray.getByRole('listitem')).toHaveCount(2);
  await expect(trayRow(page, 'holiday.mp4')).toBeVisible();
  await expectSound(page, tray);
  const [list, first] = await Promise.all([
    tray.getByRole('list').boundingBox(),
    tray
      .getByRole('button', { name: /^Stop upload/ })
      .first()
      .boundingBox(),
  ]);
  // A focus ring is 2 px wide, 2 px from its button, and what scrolls cuts off the rest.
  expect((first?.y ?? 0) - (list?.y ?? 0)).toBeGreaterThanOrEqual(4);
  await tray
    .getByRole('button', { name: /^Stop upload/ })
    .first()
    .focus();
  await page.keyboard.press('Escape');
  const head = tray.getByRole('button', { name: /^Uploading/ });
  await expect(head).toBeFocused();
  await expect(head).toHaveAttribute('aria-expanded', 'false');
  await expect(tray.getByRole('list')).toBeHidden();
  await page.keyboard.press('Enter');
  await expect(tray.getByRole('list')).toBeVisible();
  // The page has as much space below as the tray covers.
  const space = () => page.evaluate(() => getComputedStyle(document.body).paddingBottom);
  const covered = async () => `${Math.ceil((await tray.boundingBox())?.height ?? 0)}px`;
  await expect.poll(async () => (await space()) === (await covered())).toBe(true);
  await upload(page, 'Image', shelf.photos[0] ?? '');
  await expect(dialog).toBeHidden();
  await expect(row(page, 'dawn.jpg')).toContainText('Success');
  await tray.getByRole('button', { name: 'Stop upload of holiday.mp4' }).click();
  await question(page, 'Stop upload').getByRole('button', { name: 'Stop upload' }).click();
  await expect(trayRow(page, 'holiday.mp4')).toContainText('Stopped.');
  await expect(row(page, 'crane.mp4')).toContainText('Success');
  await expect(trayRow(page, 'crane.mp4')).toContainText('Ready.');
  expect((await files()).map(({ name }) => name).sort()).toEqual(['crane.mp4', 'dawn.jpg']);

  await tray.getByRole('button', { name: 'Dismiss all' }).click();
  await upload(page, 'Video', shelf.at('holiday.mp4'));
  await expect(tray).toBeVisible();
  const logOut = async () => {
    await page.getByRole('button', { name: 'User menu' }).click();
    await page.getByRole('button', { name: 'Logout' }).click();
  };
  const logoutDialog = question(page, 'Log out');
  await logOut();
  await expect(logoutDialog).toContainText(
    '1 upload will stop before it is complete. You can resume a video within 24 hours',
  );
  await page.keyboard.press('Escape');
  await expect(logoutDialog).toBeHidden();
  await expect(tray).toContainText(/ of 20\.00 MiB/);
  expect(await files()).toHaveLength(2);
  // The user has confirmed, so the browser must not ask a second time.
  page.on('dialog', (warning) => expect(warning.type()).toBe('none'));
  await logOut();
  await logoutDialog.getByRole('button', { name: 'Log out' }).click();
  await expect(page).toHaveURL('/');
  await expect(page.getByRole('link', { name: 'Login' })).toBeVisible();
});

test('dropped files open the dialog that they belong to', async ({ page, server }) => {
  await enterBucket(page, server);
  const drop = (files: { name: string; type: string }[], at: 'dragenter' | 'drop') =>
    page.evaluate(
      ([list, name]) => {
        const data = new DataTransfer();
        for (const { name, type } of list) data.items.add(new File(['x'], name, { type }));
        document.body.dispatchEvent(
          new DragEvent(name, { dataTransfer: data, bubbles: true, cancelable: true }),
        );
      },
      [files, at] as const,
    );
  const photo = { name: 'a.jpg', type: 'image/jpeg' };
  const text = { name: 'notes.txt', type: 'text/plain' };
  await expect(page.locator('[data-island=files][data-live]')).toBeAttached();
  await drop([photo], 'dragenter');
  await expect(page.getByText('Drop files to upload them')).toBeVisible();
  const dialog = dialogOf(page);
  await drop([text, photo], 'drop');
  await expect(page.getByText('Drop files to upload them')).toBeHidden();
  await expect(dialog.getByRole('heading', { name: 'Upload Files' })).toBeVisible();
  const chosen = dialog.getByRole('list', { name: 'Chosen files' }).getByRole('listitem');
  await expect(chosen).toHaveCount(2);
  await drop([{ name: 'b.mp4', type: 'video/mp4' }], 'drop');
  await expect(chosen).toHaveCount(3);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(dialog).toBeHidden();

  await drop([photo, { ...photo, name: 'b.jpg' }], 'drop');
  await expect(dialog.getByRole('heading', { name: 'Upload Image' })).toBeVisible();
  await expect(chosen).toHaveCount(2);
  await drop([{ name: 'c.mp4', type: 'video/mp4' }], 'drop');
  await expectToast(page, 'Close the open dialog first.');
  await drop([{ ...photo, name: 'd.jpg' }], 'drop');
  await expect(dialog.getByRole('listitem')).toHaveCount(3);
});

test('a mixture of files goes together, each as what it is', async ({ page, server }) => {
  const { files } = await enterBucket(page, server);
  const dialog = await openDialog(page, 'Files');
  const text = { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('Read me.') };
  const input = dialog.getByLabel('Files', { exact: true });
  await input.setInputFiles([text]);
  await input.setInputFiles([shelf.photos[0] ?? '']);
  await expectSound(page, dialog);
  await dialog.getByRole('button', { name: 'Upload', exact: true }).click();
  await expect(dialog).toBeHidden();
  await expect(row(page, 'notes.txt')).toContainText('Other');
  await expect(row(page, 'dawn.jpg')).toContainText('Success');
  const stored = await files();
  expect(stored.map(({ name, file_type }) => [name, file_type]).sort()).toEqual([
    ['dawn.jpg', 'image'],
    ['notes.txt', 'file'],
  ]);

  await row(page, 'notes.txt').getByRole('link').click();
  const drawer = page.getByRole('dialog', { name: 'notes.txt' });
  await drawer.getByRole('button', { name: 'Show the text' }).click();
  const content = drawer.getByRole('region', { name: 'Text of notes.txt' });
  await expect(content).toHaveText('Read me.');
  await expect(content).toBeFocused();
  const download = page.waitForEvent('download');
  await drawer.getByRole('link', { name: 'Download' }).click();
  expect((await download).suggestedFilename()).toBe('notes.txt');
  await expectSound(page, drawer);
});

test('all of it can be done with the keyboard', async ({ page, server }) => {
  await enterBucket(page, server);
  const button = page.getByRole('button', { name: 'Upload', exact: true });
  const dialog = dialogOf(page);
  await press(page, button);
  await expect(page.getByRole('menuitem', { name: 'Upload Image' })).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await tabTo(page, dialog.getByLabel('Video', { exact: true }));
  await dialog
    .getByLabel('Video', { exact: true })
    .setInputFiles([shelf.at('holiday.mp4'), shelf.at('crane.mp4')]);
  await press(page, dialog.getByRole('button', { name: 'Remove crane.mp4' }));
  const rung = dialog.getByRole('button', { name: '426x240' });
  await expect(rung).toHaveAttribute('aria-pressed', 'true');
  await tabTo(page, rung);
  await page.keyboard.press('Space');
  await expect(rung).toHaveAttribute('aria-pressed', 'false');
  await tabTo(page, dialog.getByRole('button', { name: 'Custom' }));
  await page.keyboard.press('Space');
  await expect(dialog.getByLabel('Resolutions', { exact: true })).toHaveValue('');
  await slowDown(page, TRICKLE);
  await press(page, dialog.getByRole('button', { name: 'Upload', exact: true }));
  await expect(dialog).toBeHidden();
  await expect(button).toBeFocused();
  const tray = trayOf(page);
  await expect(tray.getByText(/\/s · /)).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(tray.getByRole('list')).toBeVisible();
  // Two keys lead to the tray: they collapse it and expand it again.
  await pressTogether(page, 'gu');
  await expect(tray.getByRole('list')).toBeHidden();
  await expect(tray.getByRole('button', { name: /^Uploading 1 file/ })).toBeFocused();
  await page.keyboard.press('Enter');
  await press(page, tray.getByRole('button', { name: 'Stop upload of holiday.mp4' }));
  const stopDialog = question(page, 'Stop upload');
  await expect(stopDialog.getByRole('button', { name: 'Keep uploading' })).toBeFocused();
  await press(page, stopDialog.getByRole('button', { name: 'Stop upload' }));
  await expect(stopDialog).toBeHidden();
  await expect(tray.getByRole('button', { name: 'Uploads finished' })).toBeFocused();
  await press(page, tray.getByRole('button', { name: 'Dismiss all' }));
  await expect(tray).toBeHidden();
  await expect(page.getByRole('main')).toBeFocused();
});
