import type { Frame, FrameLocator, Page } from '@playwright/test';
import type { BucketDetailWire, FileWire } from '../../../server/contract/wire.ts';
import {
  createBucket,
  listFiles,
  sendFile,
  signUp,
  waitForFile,
} from '../../support/client/api.ts';
import { clip } from '../../support/fixtures/make-media.ts';
import { expect, test } from '../fixtures.ts';
import { expectSound } from '../support/look.ts';
import { startOtherSite } from '../support/other-site.ts';

const SIZES = { resolution: '640x360,320x180', timeline_preview: 'yes' };
let bucket: BucketDetailWire;
let open: FileWire;
let secret: FileWire;

/** The video of a player's page or frame. */
const videoIn = (root: Page | Frame | FrameLocator) => root.locator('video');
const timeIn = (root: Page | FrameLocator) =>
  videoIn(root).evaluate((video: HTMLVideoElement) => video.currentTime);
const widthIn = (root: Page | FrameLocator) =>
  videoIn(root).evaluate((video: HTMLVideoElement) => video.videoWidth);
const addressOf = ({ id }: FileWire) => `/embed/${bucket.id}/${id}`;
const isPaused = (page: Page) => videoIn(page).evaluate((video: HTMLVideoElement) => video.paused);

test.beforeAll(async ({ server }) => {
  const { token } = await signUp(server);
  bucket = await createBucket(server, token, 'Clips');
  const bytes = await clip({ width: 640, height: 360, seconds: 30 });
  const uploads = [
    await sendFile(server, bucket, 'video', { access: 'public', ...SIZES }, bytes, 'open.mp4'),
    await sendFile(server, bucket, 'video', { access: 'private', ...SIZES }, bytes, 'secret.mp4'),
  ];
  [open, secret] = (await Promise.all(
    uploads.map(({ id }) => waitForFile(server, bucket, id)),
  )) as [FileWire, FileWire];
});

/** The items of the quality menu, which may be closed. */
const sizesIn = (page: Page) =>
  page.locator('media-rendition-menu').locator('media-chrome-menu-item');

/** Opens the settings menu, then one of its two lists. */
async function openList(root: Page | FrameLocator, name: 'Quality' | 'Speed') {
  await root.locator('media-settings-menu-button').click();
  await root.locator('media-settings-menu-item').filter({ hasText: name }).first().click();
}

for (const access of ['public', 'private'] as const) {
  test(`a ${access} video plays in another site’s frame, in the size that is chosen`, async ({
    page,
    server,
    secrets,
  }) => {
    const file = access === 'public' ? open : secret;
    const { jwt } = await listFiles(server, bucket);
    secrets.add(jwt);
    const query = access === 'private' ? `?jwt=${jwt}` : '';
    const site = await startOtherSite(
      () => `<iframe src="${server.url}${addressOf(file)}${query}" width="800" height="450"
        allow="fullscreen; picture-in-picture" allowfullscreen></iframe>`,
    );
    await page.goto(site.url);
    const frame = page.frameLocator('iframe');
    await frame.locator('.large-play').click();
    await expect.poll(() => timeIn(frame)).toBeGreaterThan(1);
    await expect.poll(() => widthIn(frame)).toBe(640);

    await openList(frame, 'Quality');
    const choices = frame.getByRole('menuitemradio');
    await expect(choices.filter({ hasText: /p/ }).filter({ visible: true })).toHaveText([
      '360p',
      '180p',
      /^Auto/,
    ]);
    await choices.filter({ hasText: '180p' }).click();
    await expect.poll(() => widthIn(frame)).toBe(320);
    const before = await timeIn(frame);
    await expect.poll(() => timeIn(frame)).toBeGreaterThan(before + 0.5);
    site.close();
  });
}

test('without its token a private video says so in the frame, and plays nothing', async ({
  page,
  server,
}) => {
  const site = await startOtherSite(
    () => `<iframe src="${server.url}${addressOf(secret)}" width="800" height="450"></iframe>`,
  );
  await page.goto(site.url);
  const frame = page.frameLocator('iframe');
  await expect(frame.getByText('This video is private. Its URL needs a token.')).toBeVisible();
  await expect(videoIn(frame)).toHaveCount(0);
  site.close();
});

test('a video that plays early gains its other sizes while it is shown', async ({
  page,
  server,
}) => {
  const bytes = await clip({ width: 1280, height: 720, seconds: 25 });
  const fields = { access: 'public', resolution: '1280x720,640x360' };
  const uploaded = await sendFile(server, bucket, 'video', fields, bytes, 'early.mp4');
  const playable = await waitForFile(server, bucket, uploaded.id, ({ playable }) => playable);
  expect(playable.status).toBe('processing');
  await page.goto(addressOf(playable));
  await expect(videoIn(page)).toHaveAttribute('data-early', '');
  // On a busy machine the encoding may take longer than the video, which would then have ended.
  await videoIn(page).evaluate((video: HTMLVideoElement) => {
    video.defaultPlaybackRate = 0.25;
    video.playbackRate = 0.25;
  });
  await page.locator('.large-play').click();
  await expect.poll(() => timeIn(page)).toBeGreaterThan(0);
  await waitForFile(server, bucket, playable.id);
  await expect(sizesIn(page)).toHaveText(['720p', '360p', /^Auto/]);
  await expect.poll(() => isPaused(page)).toBe(false);
  const before = await timeIn(page);
  await expect.poll(() => timeIn(page)).toBeGreaterThan(before);
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

test('the keys of players work, wherever the focus is', async ({ page }) => {
  await page.goto(addressOf(open));
  await expect(page.locator('media-time-display')).toContainText('0:30');
  await page.keyboard.press('Space');
  await expect.poll(() => timeIn(page)).toBeGreaterThan(0.5);
  await page.keyboard.press('k');
  await expect.poll(() => isPaused(page)).toBe(true);
  const start = await timeIn(page);
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
});

test('the speed can be chosen, and picture in picture is offered', async ({ page }) => {
  await page.goto(addressOf(open));
  await openList(page, 'Speed');
  await page.getByRole('menuitemradio', { name: '1.5' }).click();
  await expect
    .poll(() => videoIn(page).evaluate((video: HTMLVideoElement) => video.playbackRate))
    .toBe(1.5);
  await expect(page.locator('media-pip-button')).toBeVisible();
});

test('the seek bar shows where it would lead, with the token inside a private video’s previews', async ({
  page,
  server,
}) => {
  const { jwt } = await listFiles(server, bucket);
  for (const address of [addressOf(open), `${addressOf(secret)}?jwt=${jwt}`]) {
    await page.goto(address);
    const bar = page.locator('media-time-range');
    const picture = bar.locator('media-preview-thumbnail');
    await expect(bar).toHaveAttribute('mediaduration', '30');
    const sheet = page.waitForResponse(/previews\/sheet_000\.webp/);
    await expect(async () => {
      await page.mouse.move(300, 300);
      await bar.hover({ timeout: 1000 });
      await expect(picture).toHaveAttribute('mediapreviewimage', /sheet_000/, { timeout: 1000 });
    }).toPass({ timeout: 20_000 });
    expect((await sheet).status()).toBe(200);
    await expect(picture).toBeVisible();
    await expect.poll(async () => (await picture.boundingBox())?.width).toBeGreaterThan(50);
  }
});

test('nothing but the playlist and the poster is fetched before somebody plays', async ({
  page,
}) => {
  const fetched: string[] = [];
  page.on('request', (request) => fetched.push(new URL(request.url()).pathname));
  await page.goto(addressOf(open), { waitUntil: 'networkidle' });
  await expect(sizesIn(page)).toHaveText(['360p', '180p', /^Auto/]);
  const ofVideo = fetched.filter((path) => path.startsWith('/cdn/'));
  expect(ofVideo.filter((path) => /\.(m4s|mp4)$/.test(path))).toEqual([]);
  expect(ofVideo.some((path) => path.endsWith('/poster.webp'))).toBe(true);
});

test('a browser without MediaSource plays by its own HLS', async ({ page, server }) => {
  await page.addInitScript(() => {
    Reflect.deleteProperty(window, 'MediaSource');
    Reflect.deleteProperty(window, 'ManagedMediaSource');
  });
  const { jwt } = await listFiles(server, bucket);
  await page.goto(`${addressOf(secret)}?jwt=${jwt}`);
  await page.locator('.large-play').click();
  await expect.poll(() => timeIn(page)).toBeGreaterThan(1);
});

test('a token that runs out while it plays is a text in the frame', async ({ page, server }) => {
  const { jwt } = await listFiles(server, bucket);
  await page.goto(`${addressOf(secret)}?jwt=${jwt}`);
  await expect(sizesIn(page)).toHaveText(['360p', '180p', /^Auto/]);
  await page.route(/\.(m3u8|m4s|mp4)/, (route) =>
    route.fulfill({ status: 403, headers: { 'access-control-allow-origin': '*' }, body: '' }),
  );
  await page.keyboard.press('Space');
  await expect(page.getByRole('alert')).toHaveText(/The token for this video has expired/, {
    timeout: 300_000,
  });
});

test('the player is sound: axe, and every width', async ({ page }) => {
  await page.goto(addressOf(open));
  await expect(page.locator('media-time-display')).toContainText('0:30');
  await expectSound(page);
  await page.goto(addressOf(secret));
  await expectSound(page);
});
