import type { Frame, FrameLocator, Page } from '@playwright/test';
import type { BucketDetailWire, FileWire } from '../../../server/contract/wire.ts';
import {
  createBucket,
  listFiles,
  sendFile,
  signUp,
  waitForFile,
} from '../../support/client/api.ts';
import { updateFiles } from '../../support/fixtures/file-rows.ts';
import { clip, clipWithLanguages } from '../../support/fixtures/make-media.ts';
import { expect, test } from '../fixtures.ts';
import { expectSound } from '../support/look.ts';
import { startOtherSite } from '../support/other-site.ts';

const SIZES = { resolution: '320x180,160x90', timeline_preview: 'yes' };
/** What the quality menu offers. */
const QUALITIES = ['180p', '90p', /^Auto/];

let bucket: BucketDetailWire;
let open: FileWire;
let secret: FileWire;

/** The video of a player's page or frame. */
const videoIn = (root: Page | Frame | FrameLocator) => root.locator('video');
const timeIn = (root: Page | FrameLocator) =>
  videoIn(root).evaluate((video: HTMLVideoElement) => video.currentTime);
const widthIn = (root: Page | FrameLocator) =>
  videoIn(root).evaluate((video: HTMLVideoElement) => video.videoWidth);
/** Makes a video that plays start again at its end, as it may end before a busy machine looks at it. */
const loop = (root: Page | FrameLocator) =>
  videoIn(root).evaluate((video: HTMLVideoElement) => {
    video.loop = true;
  });
const addressOf = ({ id }: FileWire) => `/embed/${bucket.id}/${id}`;
const isPaused = (page: Page) => videoIn(page).evaluate((video: HTMLVideoElement) => video.paused);

test.beforeAll(async ({ server }) => {
  const { token } = await signUp(server);
  bucket = await createBucket(server, token, 'Clips');
  const size = { width: 320, height: 180 };
  const long = await clip({ ...size, seconds: 24 });
  const short = await clip({ ...size, seconds: 14 });
  const uploads = [
    await sendFile(server, bucket, 'video', { access: 'public', ...SIZES }, long, 'open.mp4'),
    await sendFile(server, bucket, 'video', { access: 'private', ...SIZES }, short, 'secret.mp4'),
  ];
  [open, secret] = (await Promise.all(
    uploads.map(({ id }) => waitForFile(server, bucket, id)),
  )) as [FileWire, FileWire];
});

/** The items of the quality menu, which may be closed. */
const sizesIn = (page: Page) =>
  page.locator('media-rendition-menu').locator('media-chrome-menu-item');

/** Expects a picture above the seek bar of a video of `seconds` where the pointer rests on it. */
async function expectPreview(page: Page, seconds: number) {
  const bar = page.locator('media-time-range');
  const picture = bar.locator('media-preview-thumbnail');
  await expect(bar).toHaveAttribute('mediaduration', String(seconds));
  const sheet = page.waitForResponse(/previews\/sheet_000\.webp/);
  await expect(async () => {
    await page.mouse.move(300, 300);
    await bar.hover({ timeout: 5000 });
    await expect(picture).toHaveAttribute('mediapreviewimage', /sheet_000/, { timeout: 5000 });
  }).toPass();
  expect((await sheet).status()).toBe(200);
  await expect(picture).toBeVisible();
  await expect.poll(async () => (await picture.boundingBox())?.width).toBeGreaterThan(50);
}

/** Opens the settings menu, then one of its lists. */
async function openList(root: Page | FrameLocator, name: 'Quality' | 'Speed' | 'Audio') {
  await root.locator('media-settings-menu-button').click();
  await root.locator('media-settings-menu-item').filter({ hasText: name }).first().click();
}

test('a private video plays in another site’s frame, in the size that is chosen', async ({
  page,
  server,
  secrets,
}) => {
  const { jwt } = await listFiles(server, bucket);
  secrets.add(jwt);
  const site = await startOtherSite(
    () => `<iframe src="${server.url}${addressOf(secret)}?jwt=${jwt}" width="800" height="450"
      allow="autoplay; picture-in-picture" allowfullscreen></iframe>`,
  );
  await page.goto(site.url);
  const frame = page.frameLocator('iframe');
  await loop(frame);
  await frame.locator('.large-play').click();
  await expect.poll(() => timeIn(frame)).toBeGreaterThan(0.5);
  await expect.poll(() => widthIn(frame)).toBe(320);

  await openList(frame, 'Quality');
  const choices = frame.getByRole('menuitemradio');
  await expect(choices.filter({ hasText: /p/ }).filter({ visible: true })).toHaveText(QUALITIES);
  await choices.filter({ hasText: '90p' }).click();
  await expect.poll(() => widthIn(frame)).toBe(160);
  const before = await timeIn(frame);
  await expect.poll(() => timeIn(frame)).not.toBe(before);
  site.close();
});

test('a video that plays early gains its other sizes while it is shown', async ({
  page,
  server,
}) => {
  await updateFiles(server.dataDir, [open.id], { status: 'processing', playable: 1 });
  await page.goto(addressOf(open));
  await expect(videoIn(page)).toHaveAttribute('data-early', '');
  await expect(sizesIn(page)).toHaveText(['180p', /^Auto/]);
  await loop(page);
  await page.locator('.large-play').click();
  await expect.poll(() => timeIn(page)).toBeGreaterThan(0);
  await updateFiles(server.dataDir, [open.id], { status: 'success' });
  await expect(sizesIn(page)).toHaveText(QUALITIES);
  await expect.poll(() => isPaused(page)).toBe(false);
  const before = await timeIn(page);
  await expect.poll(() => timeIn(page)).not.toBe(before);
});

test('a key that is pressed before the controls are there is heard when they are', async ({
  page,
}) => {
  let release = () => {};
  const blocked = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(/\/assets\/.*\.js$/, async (route) => {
    const response = await route.fetch();
    if ((await response.text()).includes('media-volume-range')) await blocked;
    await route.fulfill({ response });
  });
  // The request for the playlist shows that the player's script is running.
  await Promise.all([
    page.waitForRequest(/\/master\.m3u8/),
    page.goto(addressOf(open), { waitUntil: 'commit' }),
  ]);
  await page.keyboard.press('m');
  await page.keyboard.press('Space');
  release();
  await expect.poll(() => timeIn(page)).toBeGreaterThan(0.5);
  expect(await videoIn(page).evaluate((video: HTMLVideoElement) => video.muted)).toBe(true);
});

test('nothing but the playlist and the poster is fetched before somebody plays', async ({
  page,
}) => {
  const fetched: string[] = [];
  page.on('request', (request) => fetched.push(new URL(request.url()).pathname));
  await page.goto(addressOf(open), { waitUntil: 'networkidle' });
  await expect(sizesIn(page)).toHaveText(QUALITIES);
  const ofVideo = fetched.filter((path) => path.startsWith('/cdn/'));
  expect(ofVideo.filter((path) => /\.(m4s|mp4)$/.test(path))).toEqual([]);
  expect(ofVideo.some((path) => path.endsWith('/poster.webp'))).toBe(true);
});

test('the controls: previews, keys wherever the focus is, the speed, and picture in picture', async ({
  page,
}) => {
  await page.goto(addressOf(open));
  await expect(page.locator('media-time-display')).toContainText('0:24');
  await expectSound(page);
  await expectPreview(page, 24);
  await loop(page);
  await expect(page.locator('media-pip-button')).toBeVisible();
  await page.keyboard.press('Space');
  await expect.poll(() => timeIn(page)).toBeGreaterThan(0.5);
  await page.keyboard.press('k');
  await expect.poll(() => isPaused(page)).toBe(true);
  const start = 1;
  await videoIn(page).evaluate((video: HTMLVideoElement, time) => {
    video.currentTime = time;
  }, start);
  await page.keyboard.press('l');
  await expect.poll(() => timeIn(page)).toBeCloseTo(start + 10, 0);
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => timeIn(page)).toBeCloseTo(start + 20, 0);
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('j');
  await expect.poll(() => timeIn(page)).toBeCloseTo(start, 0);
  const isMuted = () => videoIn(page).evaluate((video: HTMLVideoElement) => video.muted);
  // The keys toggle the state of the controls, which are updated a frame after a change.
  const muteButton = page.locator('media-mute-button');
  await page.keyboard.press('m');
  await expect(muteButton).toHaveAttribute('mediavolumelevel', 'off');
  expect(await isMuted()).toBe(true);
  await page.keyboard.press('m');
  await expect(muteButton).not.toHaveAttribute('mediavolumelevel', 'off');
  expect(await isMuted()).toBe(false);
  const fullscreenButton = page.locator('media-fullscreen-button');
  const isFull = () => page.evaluate(() => document.fullscreenElement !== null);
  await page.keyboard.press('f');
  await expect(fullscreenButton).toHaveAttribute('mediaisfullscreen');
  expect(await isFull()).toBe(true);
  await page.keyboard.press('f');
  await expect(fullscreenButton).not.toHaveAttribute('mediaisfullscreen');
  expect(await isFull()).toBe(false);
  await openList(page, 'Speed');
  await page.getByRole('menuitemradio', { name: '1.5' }).click();
  await expect
    .poll(() => videoIn(page).evaluate((video: HTMLVideoElement) => video.playbackRate))
    .toBe(1.5);
});

test('a private video: its previews carry the token, and a token that runs out is a text', async ({
  page,
  server,
}) => {
  const { jwt } = await listFiles(server, bucket);
  await page.goto(addressOf(secret));
  await expect(page.getByText('This video is private. Its URL needs a token.')).toBeVisible();
  await expectSound(page);
  await page.goto(`${addressOf(secret)}?jwt=${jwt}`);
  await expect(sizesIn(page)).toHaveText(QUALITIES);
  await expectPreview(page, 14);
  await page.route(/\.(m3u8|m4s|mp4)/, (route) =>
    route.fulfill({ status: 403, headers: { 'access-control-allow-origin': '*' }, body: '' }),
  );
  await page.keyboard.press('Space');
  await expect(page.getByRole('alert')).toHaveText(/The token for this video has expired/, {
    timeout: 500_000,
  });
});

test('a browser without MediaSource plays by its own HLS', async ({ page, server }) => {
  await page.addInitScript(() => {
    Reflect.deleteProperty(window, 'MediaSource');
    Reflect.deleteProperty(window, 'ManagedMediaSource');
  });
  const { jwt } = await listFiles(server, bucket);
  await page.goto(`${addressOf(secret)}?jwt=${jwt}`);
  await page.locator('.large-play').click();
  await expect.poll(() => timeIn(page)).toBeGreaterThan(0.5);
});

for (const seconds of [6, 6.04]) {
  test(`a video of ${seconds} seconds plays to its end`, async ({ page, server }) => {
    const bytes = await clip({ width: 64, height: 36, seconds });
    const fields = { access: 'public', resolution: '64x36' };
    const { id } = await sendFile(server, bucket, 'video', fields, bytes, `${seconds}.mp4`);
    await page.goto(addressOf(await waitForFile(server, bucket, id)));
    await page.locator('.large-play').click();
    await videoIn(page).evaluate((video: HTMLVideoElement) => {
      video.playbackRate = 4;
    });
    const hasEnded = () => videoIn(page).evaluate((video: HTMLVideoElement) => video.ended);
    await expect.poll(hasEnded).toBe(true);
  });
}

test('a video in two languages plays to its end in the one that is chosen', async ({
  page,
  server,
}) => {
  const fields = { access: 'public', resolution: '64x36' };
  const bytes = await clipWithLanguages();
  const { id } = await sendFile(server, bucket, 'video', fields, bytes, 'languages.mkv');
  const video = await waitForFile(server, bucket, id);
  expect(video.warning).toBeNull();
  await page.goto(addressOf(video));
  const other = page.waitForResponse(/\/audio-2\/seg_00000\.m4s/);
  await openList(page, 'Audio');
  const choices = page.locator('media-audio-track-menu').locator('media-chrome-menu-item');
  await expect(choices).toHaveText(['Deutsch', 'My commentary']);
  await choices.filter({ hasText: 'My commentary' }).click();
  await page.keyboard.press('Escape');
  await page.locator('.large-play').click();
  expect((await other).status()).toBe(200);
  const hasEnded = () => videoIn(page).evaluate((one: HTMLVideoElement) => one.ended);
  await expect.poll(hasEnded).toBe(true);
  await expect(choices.filter({ hasText: 'My commentary' })).toHaveAttribute(
    'aria-checked',
    'true',
  );
});

test('a video with one audio track offers none to choose', async ({ page }) => {
  await page.goto(addressOf(open));
  await expect(sizesIn(page)).toHaveText(QUALITIES);
  await page.locator('media-settings-menu-button').click();
  const item = page.locator('media-settings-menu-item');
  await expect(item.filter({ hasText: 'Quality' }).first()).toBeVisible();
  await expect(item.filter({ hasText: 'Audio' }).first()).toBeHidden();
});
