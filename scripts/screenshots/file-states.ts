import type { Page } from '@playwright/test';
import type { FilePageWire } from '../../server/contract/wire.ts';
import { makePhoto } from '../../tests/support/fixtures/make-media.ts';
import { rememberUpload } from './interrupted-upload.ts';
import {
  breakCalls,
  dialog,
  failed,
  holdRequests,
  menuOf,
  ownerAt as owner,
  press,
  type Scene,
} from './scene.ts';

const PHOTO = /^Actions for red-panda/;

/** Selects another filter, so that the files are requested again. */
async function narrow(page: Page) {
  const filters = page.getByRole('button', { name: 'Show filters' });
  // On a phone they are in a panel.
  if (await filters.isVisible()) await filters.click();
  await page.getByRole('button', { name: 'Private', exact: true }).click();
}

/** The table of a bucket's files, and the details of one. */
export const FILE_STATES: Scene[] = [
  owner('file-menu', '/dashboard/files/:full', menuOf(PHOTO)),
  owner('file', '/dashboard/files/:full?file=:file', (page) => page.getByText('SHA-256').waitFor()),
  owner('file-urls', '/dashboard/files/:full?file=:video', (page) =>
    dialog(page)
      .getByRole('heading', { name: 'URLs' })
      .evaluate((it) => it.scrollIntoView()),
  ),
  owner('file-video', '/dashboard/files/:full?file=:video', (page) =>
    page.getByText('SHA-256').waitFor(),
  ),
  owner('file-without-preview', '/dashboard/files/:full?file=:file', async (page) => {
    await breakCalls(page, '**/preview');
    await page.reload();
    await dialog(page).getByRole('button', { name: 'Load the image' }).waitFor();
  }),
  owner('file-failed', '/dashboard/files/:full?file=:failed', (page) =>
    dialog(page).getByText('Created at').waitFor(),
  ),
  owner('file-under-way', '/dashboard/files/:full?file=:underWay', (page) =>
    dialog(page).getByText('Created at').waitFor(),
  ),
  owner('file-missing', '/dashboard/files/:full?file=01somebodyelsesfile0000000', (page) =>
    dialog(page).getByText('File not found').waitFor(),
  ),
  owner('file-delete', '/dashboard/files/:full', menuOf(PHOTO, 'Delete')),
  owner('files-loading', '/dashboard/files/:full', async (page) => {
    await holdRequests(page, '**/files/*?*');
    await narrow(page);
  }),
  owner('files-failed', '/dashboard/files/:full', async (page) => {
    await breakCalls(page, '**/files/*?*');
    await narrow(page);
    await failed(page);
  }),
  owner('files-queued', '/dashboard/files/:full', async (page) => {
    await page.route('**/files/*?*', async (route) => {
      const response = await route.fetch();
      const list = (await response.json()) as FilePageWire;
      const waiting = list.data.filter(({ status }) => status === 'processing');
      for (const file of waiting) Object.assign(file, { queue_position: 1, queue_seconds: 60 });
      await route.fulfill({ response, json: list });
    });
    await page.reload();
    await page.getByText('no. 1, about 1 min').first().waitFor();
  }),
  owner('toasts', '/dashboard/files/:full', async (page) => {
    for (const name of [PHOTO, /^Actions for harbour-at-dawn.jpg/]) {
      await menuOf(name, 'Copy URL')(page);
    }
  }),
  { name: 'suspended-files', path: '/dashboard/files/:suspended', as: 'debtor' },
];

async function photos() {
  const buffer = await makePhoto({ width: 900, height: 600 });
  return [
    'dawn.jpg',
    'harbour-master-with-a-very-long-name-and-then-some-more.jpg',
    'dusk.jpg',
  ].map((name) => ({ name, mimeType: 'image/jpeg', buffer }));
}

async function chooseImages(page: Page) {
  await openUpload('Image')(page);
  await dialog(page)
    .getByLabel('Image', { exact: true })
    .setInputFiles(await photos());
}

const send = (page: Page) =>
  dialog(page).getByRole('button', { name: 'Upload', exact: true }).click();

/**
 * Uploads so slowly that the screenshot shows the progress. Returns the function that takes the connection
 * away.
 */
async function uploadSlowly(page: Page) {
  await chooseImages(page);
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  const throttle = (offline: boolean) =>
    session.send('Network.emulateNetworkConditions', {
      offline,
      latency: 0,
      downloadThroughput: -1,
      uploadThroughput: 24_000,
    });
  await throttle(false);
  await send(page);
  await page.waitForTimeout(1500);
  return throttle;
}

/** Drags files over the page. */
const dragFilesOver = (page: Page) =>
  page.evaluate(() => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File(['a photo'], 'dawn.jpg', { type: 'image/jpeg' }));
    window.dispatchEvent(new DragEvent('dragenter', { dataTransfer, cancelable: true }));
  });

/** Opens an upload dialog by the menu of the button. */
const openUpload = (kind: 'Image' | 'Video') => async (page: Page) => {
  await page.getByRole('button', { name: 'Upload', exact: true }).click();
  await page.getByRole('menuitem', { name: `Upload ${kind}` }).click();
};

/** Adding files to a bucket, from selecting them to their outcome. */
export const UPLOAD_STATES: Scene[] = [
  owner('upload-menu', '/dashboard/files/:full', async (page) => {
    await page.getByRole('button', { name: 'Upload', exact: true }).click();
  }),
  owner('upload-image', '/dashboard/files/:full', openUpload('Image')),
  owner('upload-video', '/dashboard/files/:full', openUpload('Video')),
  owner('upload-chosen', '/dashboard/files/:gone', chooseImages),
  owner('upload-video-chosen', '/dashboard/files/:gone', async (page, { interrupted }) => {
    await openUpload('Video')(page);
    await dialog(page).getByLabel('Video', { exact: true }).setInputFiles(interrupted.path);
    await dialog(page).getByRole('button', { name: 'Custom' }).click();
    await dialog(page).getByLabel('Timeline preview').click();
  }),
  owner('upload-video-reading', '/dashboard/files/:gone', async (page, { interrupted }) => {
    await holdRequests(page, '**/files/resolution/video/*');
    await openUpload('Video')(page);
    await dialog(page).getByLabel('Video', { exact: true }).setInputFiles(interrupted.path);
    await dialog(page).getByText('Reading the video.').waitFor();
  }),
  owner('upload-without-video', '/dashboard/files/:gone', async (page) => {
    await openUpload('Video')(page);
    await dialog(page).getByLabel('Resolutions').click({ force: true });
    await send(page);
    await page.getByText('The video file is required.').first().waitFor();
  }),
  owner('upload-interrupted', '/dashboard/files/:full', async (page, { interrupted }) => {
    await rememberUpload(page, interrupted);
    await page.reload();
    await page.getByText('Choose the file again to resume.').waitFor();
  }),
  owner('upload-resumed', '/dashboard/files/:full', async (page, { interrupted }) => {
    await rememberUpload(page, interrupted);
    await openUpload('Video')(page);
    await dialog(page).getByLabel('Video', { exact: true }).setInputFiles(interrupted.path);
    await dialog(page).getByText('Resume it?').waitFor();
    await dialog(page).getByText('1280x720').waitFor();
  }),
  owner('uploading', '/dashboard/files/:gone', uploadSlowly),
  owner('upload-paused', '/dashboard/files/:gone', async (page) => {
    const throttle = await uploadSlowly(page);
    await throttle(true);
    await page.getByText('Connection lost.').first().waitFor();
  }),
  owner('uploads-tray-focus', '/dashboard/files/:gone', async (page) => {
    await uploadSlowly(page);
    await page.getByRole('button', { name: /^Uploading 3 files/ }).focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
  }),
  owner('upload-stop', '/dashboard/files/:gone', async (page) => {
    await uploadSlowly(page);
    const head = page.getByRole('button', { name: /^Uploading 3 files/ });
    // On a phone the tray is closed.
    if ((await head.getAttribute('aria-expanded')) === 'false') await head.click();
    await press(/^Stop upload of/)(page);
  }),
  owner('upload-discard', '/dashboard/files/:full', async (page, { interrupted }) => {
    await rememberUpload(page, interrupted);
    await page.reload();
    await press(/^Discard/)(page);
  }),
  owner('upload-logout', '/dashboard/files/:gone', async (page) => {
    await uploadSlowly(page);
    await page.locator('[data-action=logout]').first().dispatchEvent('click');
    await dialog(page).waitFor();
  }),
  owner('uploads-failed', '/dashboard/files/:gone', async (page) => {
    await page.route('**/files/upload/image/**', (route) =>
      route.fulfill({ status: 413, body: 'The file is larger than 50 MiB.' }),
    );
    const response = page.waitForResponse('**/files/upload/image/**');
    await chooseImages(page);
    await send(page);
    await response;
    await page.waitForTimeout(500);
  }),
  owner('drop', '/dashboard/files/:full', dragFilesOver),
];
