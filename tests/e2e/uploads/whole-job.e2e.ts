import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from '@playwright/test';
import { readCode } from '../../support/client/outbox.ts';
import { makeClip, makePhoto } from '../../support/fixtures/make-media.ts';
import { expect, test } from '../fixtures.ts';
import { expectToast } from '../support/toasts.ts';
import { openDialog } from '../support/uploading.ts';

const EMAIL = 'harbour@example.com';
const PASSWORD = 'correct horse battery';
const HLS = fileURLToPath(new URL('../../../node_modules/hls.js/dist/hls.min.js', import.meta.url));

/**
 * As most people see it. A picture's page has no scripts but Playwright's own, and its sandbox may refuse
 * them.
 */
test.use({
  contextOptions: { reducedMotion: 'no-preference' },
  expectedComplaints: /^Blocked script execution in '[^']+\.webp'/,
});

/** Starts another site, whose page plays the video of its query string with hls.js. */
async function startPlayerSite(): Promise<Server> {
  const page = `<!doctype html><video muted></video><script src="/hls.js"></script><script>
    const video = document.querySelector('video');
    window.errors = [];
    const hls = new Hls();
    // On a busy machine the picture may stand still for a moment, from which hls.js recovers.
    const isStall = ({ details }) => /^buffer(Stalled|NudgeOnStall)/.test(details);
    hls.on(Hls.Events.ERROR, (_, data) => isStall(data) || errors.push(data.details));
    hls.on(Hls.Events.MANIFEST_PARSED, (_, data) => { window.levels = data.levels.map((level) => level.width + 'x' + level.height); video.play(); });
    hls.loadSource(new URLSearchParams(location.search).get('src'));
    hls.attachMedia(video);
  </script>`;
  const script = await readFile(HLS);
  const server = createServer((request, response) => {
    const isScript = request.url === '/hls.js';
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
    response.end(isScript ? script : page);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

/** Collects the console errors and exceptions of a page. */
function complaintsOf(page: Page): string[] {
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  return complaints;
}

const rowOf = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });

/** Returns the URL that a row's menu copies. */
async function copyUrl(page: Page, name: string): Promise<string> {
  const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
  await page.evaluate(() => navigator.clipboard.writeText(''));
  await page.getByRole('button', { name: `Actions for ${name}` }).click();
  await page.getByRole('menuitem', { name: 'Copy URL' }).click();
  await expectToast(page, 'Text copied clipboard!');
  await expect.poll(clipboard).not.toBe('');
  return clipboard();
}

test('the whole job: sign up, make a bucket, upload a photo and a video, open both', async ({
  page,
  context,
  server,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: server.url });
  const complaints = complaintsOf(page);
  const folder = await mkdtemp(join(tmpdir(), 'wharf-e2e-'));
  const photo = join(folder, 'Harbour at dawn.jpg');
  const clip = join(folder, 'crane.mp4');
  await writeFile(photo, await makePhoto());
  await makeClip(clip, { width: 640, height: 360, seconds: 4 });

  await page.goto('/');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(
    'Upload, Store, and Deliver Files with Confidence',
  );
  await page.getByRole('link', { name: 'Get Started for Free' }).first().click();

  // The form focuses its first field when it is hydrated.
  await expect(page.getByLabel('Email')).toBeFocused();
  await page.getByLabel('Email').fill(EMAIL);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByLabel('Confirm password', { exact: true }).fill('something else');
  await page.getByRole('button', { name: 'Sign up' }).click();
  await expectToast(page, "The passwords you entered don't match. Please try again.");
  await page.getByLabel('Confirm password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign up' }).click();

  await expect(page.getByRole('heading', { name: 'Verify your email address' })).toBeVisible();
  await page.getByLabel('Code').fill(String(await readCode(server.outbox, EMAIL)));
  await expect(page).toHaveURL(`${server.url}/dashboard`);
  const auth = await page.evaluate(() => JSON.parse(localStorage.getItem('auth') ?? '{}'));
  expect(Object.keys(auth).sort()).toEqual(['access', 'email', 'exp', 'isAuth', 'userId']);
  expect(auth).toMatchObject({ email: EMAIL, isAuth: true });

  await expect(page.getByText('No buckets to diplay.')).toBeVisible();
  await page.getByRole('button', { name: 'Create Bucket' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Harbour');
  await dialog.getByRole('button', { name: 'Create', exact: true }).click();
  await expect(page).toHaveURL(/\/dashboard\/files\/[0-9a-z]{26}$/);
  await expect(page.getByRole('listitem').getByRole('heading')).toHaveText([
    'Upload a file',
    'Copy your API key',
    'Upload from your code',
  ]);
  await page.getByRole('link', { name: 'Dashboard' }).click();
  await page.getByRole('link', { name: /Harbour/ }).click();
  await expect(page).toHaveURL(/\/dashboard\/bucket\/[0-9a-z]{26}$/);
  await page.getByRole('link', { name: 'Files' }).click();
  await expect(page.getByText('No files here.')).toBeVisible();

  await test.step('the photo, as WebP', async () => {
    await openDialog(page, 'Image');
    await dialog.getByLabel('Image').setInputFiles(photo);
    await dialog.getByLabel(/WebP/).check();
    await dialog.getByRole('button', { name: 'Upload', exact: true }).click();
    await expect(dialog).toBeHidden();
    await expect(rowOf(page, 'Harbour at dawn.jpg')).toContainText(/success/i);
  });

  await test.step('the video, private, in two sizes', async () => {
    await openDialog(page, 'Video');
    await dialog.getByLabel('Resolutions').click({ force: true });
    await expectToast(page, 'A video must be selected before adding resolutions.');
    await dialog.getByLabel('Video', { exact: true }).setInputFiles(clip);
    // The sizes that fit the video are chosen beforehand.
    for (const name of ['640x360', '426x240']) {
      await expect(dialog.getByRole('button', { name })).toHaveAttribute('aria-pressed', 'true');
    }
    await dialog.getByLabel('Access control').selectOption('private');
    await dialog.getByRole('button', { name: 'Upload', exact: true }).click();
    await expect(dialog).toBeHidden({ timeout: 500_000 });
    await expect(rowOf(page, 'crane.mp4')).toContainText(/success/i);
    await expect(rowOf(page, 'crane.mp4')).toContainText('Private');
  });

  await test.step('the image opens, optimised', async () => {
    const url = await copyUrl(page, 'Harbour at dawn.jpg');
    expect(url).toMatch(/\/harbour-at-dawn\.webp$/);
    const viewer = await context.newPage();
    const response = await viewer.goto(url);
    expect(response?.headers()['content-type']).toBe('image/webp');
    const width = await viewer
      .locator('img')
      .evaluate((image: HTMLImageElement) => image.naturalWidth);
    expect(width).toBe(1200);
    await viewer.close();
  });

  await test.step('the private video plays with its token, on another site, and not without', async () => {
    const url = await copyUrl(page, 'crane.mp4');
    expect(url).toMatch(/\/master\.m3u8\?jwt=[\w.-]+$/);
    expect((await fetch(url.split('?')[0] ?? '')).status).toBe(401);
    const site = await startPlayerSite();
    const { port } = site.address() as AddressInfo;
    const player = await context.newPage();
    await player.goto(`http://127.0.0.1:${port}/?src=${encodeURIComponent(url)}`);
    await player.waitForFunction(() => (document.querySelector('video')?.currentTime ?? 0) > 1.5);
    const played = await player.evaluate(() => Reflect.get(window, 'errors') as string[]);
    const levels = await player.evaluate(() => Reflect.get(window, 'levels') as string[]);
    expect(played).toEqual([]);
    expect(levels.sort()).toEqual(['426x240', '640x360']);
    await player.close();
    site.close();
  });

  expect(complaints).toEqual([]);
});
