import type { Page } from '@playwright/test';
import type { BucketDetailWire, FileWire, SessionWire } from '../../../server/contract/wire.ts';
import {
  createBucket,
  sendFile,
  signUp,
  uploadFile,
  waitForFile,
} from '../../support/client/api.ts';
import { clip as makeClip, makePhoto } from '../../support/fixtures/make-media.ts';
import type { ServerProcess } from '../../support/server/server-process.ts';
import { expect, test } from '../fixtures.ts';
import { placesOf } from '../support/hold-requests.ts';
import { press, tabTo } from '../support/keyboard.ts';
import { expectSound } from '../support/look.ts';
import { giveSession, startSession } from '../support/people.ts';
import { expectToast } from '../support/toasts.ts';

const IMAGE_NAME = 'Harbour at dawn.jpg';

let clip: Buffer;
let photo: Buffer;

/** A user's bucket with a private video and a public image, for tests that do not change it. */
let fixture: { bucket: BucketDetailWire; video: FileWire; image: FileWire; session: SessionWire };

test.beforeAll(async ({ server }) => {
  clip = await makeClip({ width: 320, height: 180, seconds: 4 });
  photo = await makePhoto({ width: 640, height: 480 });
  const session = await signUp(server);
  const bucket = await createBucket(server, session.token, 'Harbour');
  const fields = { access: 'private', resolution: '320x180', timeline_preview: 'yes' };
  const uploaded = await sendFile(server, bucket, 'video', fields, clip, 'crane.mp4');
  const image = await uploadPhoto(server, bucket);
  fixture = { bucket, image, session, video: await waitForFile(server, bucket, uploaded.id) };
});

const uploadPhoto = (server: ServerProcess, bucket: BucketDetailWire) =>
  uploadFile(server, bucket, 'image', { access: 'public', webp: 'yes' }, photo, IMAGE_NAME);

/** Opens the files of the shared bucket as its owner. */
async function enterFiles(page: Page, server: ServerProcess) {
  await giveSession(page, server, fixture.session);
  await page.goto(`/dashboard/files/${fixture.bucket.id}`);
  await expect(rowOf(page, 'crane.mp4')).toBeVisible();
  return fixture;
}

const rowOf = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });
const menuOf = (page: Page, name: string) =>
  page.getByRole('button', { name: `Actions for ${name}` });
const item = (page: Page, name: string) => page.getByRole('menuitem', { name, exact: true });
const drawerOf = (page: Page, name: string) => page.getByRole('dialog', { name });
const pathOf = ({ id }: BucketDetailWire, file?: FileWire) =>
  `/dashboard/files/${id}${file ? `?file=${file.id}` : ''}`;

test('the menu of a row works by keyboard, leads into the details and back, and opens where a right click was', async ({
  page,
  server,
}) => {
  const { bucket, video } = await enterFiles(page, server);
  for (const name of ['crane.mp4', IMAGE_NAME]) {
    await expect(rowOf(page, name).locator('canvas')).toHaveAttribute('width', '96');
  }
  await tabTo(page, page.getByRole('link', { name: IMAGE_NAME }));
  await page.keyboard.press('ArrowDown');
  await press(page, menuOf(page, 'crane.mp4'));
  await expect(item(page, 'Details')).toBeFocused();
  await page.keyboard.press('End');
  await expect(item(page, 'Delete')).toBeFocused();
  await page.keyboard.press('Home');
  await page.keyboard.press('Enter');

  const drawer = drawerOf(page, 'crane.mp4');
  await expect(drawer).toBeVisible();
  await expect(page).toHaveURL(server.url + pathOf(bucket, video));
  await expect(drawer.getByText(video.sha256 ?? 'no SHA-256')).toBeVisible();
  await expect(drawer.getByText('320 × 180').first()).toBeVisible();
  await expect(drawer.getByText('0:04')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(drawer).toBeHidden();
  await expect(page).toHaveURL(server.url + pathOf(bucket));
  await expect(menuOf(page, 'crane.mp4')).toBeFocused();

  const row = rowOf(page, IMAGE_NAME);
  await row.click({ button: 'right', position: { x: 300, y: 10 } });
  const menu = page.getByRole('menu', { name: `Actions for ${IMAGE_NAME}` });
  await expect(menu).toBeVisible();
  const [at, where] = [await menu.boundingBox(), await row.boundingBox()];
  expect(Math.abs((at?.x ?? 0) - ((where?.x ?? 0) + 300))).toBeLessThan(3);
  await page.keyboard.press('Escape');
  await expect(menu).toBeHidden();
});

test('where a bucket generates no images, details load the image itself when asked to', async ({
  page,
  server,
}) => {
  const { bucket, image } = await enterFiles(page, server);
  await page.route('**/preview', (route) => route.fulfill({ status: 204 }));
  const delivered = noteDeliveries(page);
  await page.goto(pathOf(bucket, image));
  const drawer = drawerOf(page, IMAGE_NAME);
  const load = drawer.getByRole('button', { name: 'Load the image' });
  await expect(drawer.getByText(/^\d+\.\d\d KiB, counts as bandwidth$/)).toBeVisible();
  await expectSound(page, drawer);
  expect(delivered).toEqual([]);
  await load.click();
  const shown = drawer.getByRole('img', { name: IMAGE_NAME, exact: true });
  await expect.poll(() => shown.evaluate((one: HTMLImageElement) => one.naturalWidth)).toBe(640);
  await expect(shown).toBeFocused();
});

test('the buttons of a file’s details are where they were when it becomes ready', async ({
  page,
  server,
}) => {
  const { bucket, image } = await enterFiles(page, server);
  let isReady = false;
  await page.route(`**/files/${bucket.id}/${image.id}`, async (route) => {
    if (isReady) return route.fallback();
    const response = await route.fetch();
    const before = { status: 'processing', url: null, retry_until: null };
    await route.fulfill({ response, json: { ...(await response.json()), ...before } });
  });
  await page.getByRole('link', { name: IMAGE_NAME }).click();
  const drawer = drawerOf(page, IMAGE_NAME);
  await expect(drawer.getByText('The preview appears here when the file is ready.')).toBeVisible();
  await expectSound(page, drawer);
  const buttons = [
    drawer.getByRole('button', { name: 'Copy URL' }),
    drawer.getByRole('link', { name: 'Download' }),
    drawer.getByRole('button', { name: 'Delete' }),
  ];
  const before = await placesOf(...buttons);
  isReady = true;
  await expect(drawer.getByRole('img', { name: `Preview of ${IMAGE_NAME}` })).toBeVisible();
  expect(await placesOf(...buttons)).toEqual(before);
});

/** Notes the requests for files, which count as bandwidth, and for players. */
function noteDeliveries(page: Page): string[] {
  const urls: string[] = [];
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (/^\/(cdn|embed)\//.test(pathname)) urls.push(pathname);
  });
  return urls;
}

test('details stand in the address: Back closes them, a reload and a link open them; looking at them costs no bandwidth', async ({
  page,
  server,
}) => {
  const { bucket, image } = await enterFiles(page, server);
  const delivered = noteDeliveries(page);
  await page.getByRole('link', { name: IMAGE_NAME }).click();
  const drawer = drawerOf(page, IMAGE_NAME);
  await expect(drawer.getByRole('img', { name: `Preview of ${IMAGE_NAME}` })).toBeVisible();
  const drawn = () =>
    drawer
      .getByRole('img')
      .first()
      .evaluate((one: HTMLCanvasElement) => one.width);
  await expect.poll(drawn).toBe(640);
  expect(delivered).toEqual([]);
  const downloading = page.waitForEvent('download');
  await drawer.getByRole('link', { name: 'Download' }).click();
  expect((await downloading).suggestedFilename()).toMatch(/^Harbour at dawn\.\w+$/);
  const opened = await drawer.getByRole('link', { name: 'Open' }).getAttribute('href');
  expect(opened).toBe(image.url);
  await expect(drawer.getByText(`<img src="${image.url}"`)).toBeVisible();

  await drawer.getByLabel('Width').fill('100px');
  await drawer.getByLabel('Height').fill('50');
  await drawer.getByLabel('Fit').selectOption('cover');
  const result = drawer.getByRole('figure');
  await expect(result).toContainText(/^100 × 50/);
  await expect(result.getByRole('img')).toHaveAttribute(
    'src',
    `${image.url}?width=100&height=50&fit=cover`,
  );
  await expectSound(page, drawer);
  await page.goBack();
  await expect(drawer).toBeHidden();
  await page.goForward();
  await expect(drawer).toBeVisible();
  await page.reload();
  await expect(drawer).toBeVisible();
  await page.goto(pathOf(bucket, image));
  await expect(drawer).toBeVisible();
  await drawer.getByRole('button', { name: 'Close' }).click();
  await expect(page).toHaveURL(server.url + pathOf(bucket));
  await page.goto(`${pathOf(bucket)}?file=nothing`);
  await expect(page.getByText('File not found.')).toBeVisible();
});

test('the details of a private video play it, and tell what is stored and where; its embed code plays it too', async ({
  page,
  server,
  context,
  secrets,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: server.url });
  const { bucket, video } = await enterFiles(page, server);
  const delivered = noteDeliveries(page);
  await page.goto(pathOf(bucket, video));
  const drawer = drawerOf(page, 'crane.mp4');
  const preview = drawer.getByRole('img', { name: 'Preview of crane.mp4' });
  await expect.poll(() => preview.evaluate((one: HTMLCanvasElement) => one.width)).toBe(320);
  expect(delivered).toEqual([]);
  await drawer.getByRole('button', { name: 'Play crane.mp4' }).click();
  const player = drawer.frameLocator('iframe');
  await expect(drawer.locator('iframe')).toBeFocused();
  await expect
    .poll(() => player.locator('video').evaluate((one: HTMLVideoElement) => one.currentTime))
    .toBeGreaterThan(0.5);
  const stored = drawer.getByRole('region', { name: 'Stored' });
  for (const name of ['320 × 180', 'Audio', 'Poster', 'Timeline previews', 'Total']) {
    await expect(stored.getByRole('row').filter({ hasText: name })).toContainText(/\d\.\d\d KiB/);
  }
  const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
  await drawer.getByRole('button', { name: 'Copy the URL: Poster' }).click();
  await expect.poll(clipboard).toMatch(/\/poster\.webp\?jwt=[\w.-]+$/);
  const copied = await clipboard();
  expect((await fetch(copied)).status).toBe(200);
  expect((await fetch(copied.split('?')[0] ?? '')).status).toBe(401);
  await expectSound(page, drawer);
  await player.locator('video').press('Escape');
  await expect(drawer).toBeHidden();

  await menuOf(page, 'crane.mp4').click();
  await item(page, 'Copy embed').click();
  await expectToast(page, 'Text copied clipboard!');
  await expect.poll(clipboard).toMatch(/^<iframe/);
  const src = /^<iframe src="([^"]+)"/.exec(await clipboard())?.[1] ?? '';
  expect(src.split('?')[0]).toBe(video.embed);
  secrets.add(new URL(src).searchParams.get('jwt') ?? '');
  expect((await fetch(src)).status).toBe(200);
  await menuOf(page, IMAGE_NAME).click();
  await expect(item(page, 'Copy URL')).toBeVisible();
  await expect(item(page, 'Copy embed')).toBeHidden();
});

test('what is not there can not be copied', async ({ page, server }) => {
  const { token } = await startSession(page, server);
  const bucket = await createBucket(server, token, 'Harbour');
  const part = clip.subarray(0, 9000);
  const failed = await uploadFile(server, bucket, 'video', {}, part, 'broken.mp4');
  expect(failed).toMatchObject({ status: 'error', url: null });
  for (const name of ['Copy URL', 'Copy embed']) {
    await page.goto(pathOf(bucket));
    await menuOf(page, 'broken.mp4').click();
    await item(page, name).click();
    await expectToast(page, 'The file URL is not yet available.');
  }
  await page.getByRole('link', { name: 'broken.mp4' }).click();
  const drawer = drawerOf(page, 'broken.mp4');
  await expect(drawer.getByText(failed.id)).toBeVisible();
  await expect(drawer).toContainText('Error');
  await expect(drawer.getByRole('heading', { name: 'URLs' })).toBeHidden();
});

test('deleting asks once, takes the row away at once, and is undone where it fails', async ({
  page,
  server,
}) => {
  const { token } = await startSession(page, server);
  const bucket = await createBucket(server, token, 'Harbour');
  await uploadFile(server, bucket, 'image', { access: 'public' }, photo, 'Quay.jpg');
  const image = await uploadPhoto(server, bucket);
  await page.goto(pathOf(bucket));
  const dialog = page.getByRole('dialog', { name: 'Delete file' });
  await press(page, menuOf(page, IMAGE_NAME));
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  await expect(dialog).toContainText(`${IMAGE_NAME} (${(image.size / 1024).toFixed(2)} KiB)`);
  await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeFocused();
  await expectSound(page, dialog);
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await expect(rowOf(page, IMAGE_NAME)).toBeVisible();

  const deletions = `**/files/${bucket.id}/${image.id}`;
  let release = () => {};
  const blocked = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(deletions, async (route) => {
    if (route.request().method() !== 'DELETE') return route.fallback();
    await blocked;
    await route.fulfill({ status: 409, contentType: 'text/plain', body: 'Not now.' });
  });
  const remove = async () => {
    await page.getByRole('link', { name: IMAGE_NAME }).click();
    await drawerOf(page, IMAGE_NAME).getByRole('button', { name: 'Delete' }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await expect(rowOf(page, IMAGE_NAME)).toHaveCount(0);
  };
  await remove();
  release();
  await expectToast(page, 'Not now.');
  await expect(rowOf(page, IMAGE_NAME)).toBeVisible();

  await page.unroute(deletions);
  const deletion = page.waitForResponse((one) => one.request().method() === 'DELETE');
  await remove();
  expect((await deletion).status()).toBe(204);
  await expectToast(page, `${IMAGE_NAME} was deleted.`);
  expect((await fetch(image.url ?? '')).status).toBe(404);
  await page.reload();
  await expect(rowOf(page, 'Quay.jpg')).toBeVisible();
  await expect(rowOf(page, IMAGE_NAME)).toHaveCount(0);
});
