import type { Page } from '@playwright/test';
import { expect, test } from '../fixtures.ts';
import { enter } from '../support/people.ts';
import { layoutShift } from '../support/shift.ts';

const playerIn = (page: Page) => page.frameLocator('iframe[title="Player of the clip"]');
const timeIn = (page: Page) =>
  playerIn(page)
    .locator('video')
    .evaluate((video: HTMLVideoElement) => video.currentTime);

test('the clip plays when somebody asks for it, by keyboard too, and nothing of it is loaded before', async ({
  page,
  server,
}) => {
  const fetched: string[] = [];
  page.on('request', (request) => fetched.push(new URL(request.url()).pathname));
  await enter(page, server, '/');
  const link = page.getByRole('link', { name: /^Play the clip/ });
  await link.scrollIntoViewIfNeeded();
  await link.hover();
  await expect.poll(() => fetched.some((path) => path.endsWith('/poster.webp'))).toBe(true);
  await page.waitForLoadState('networkidle');
  expect(fetched.filter((path) => /embed|\.m3u8$|\.m4s$|\.mp4$|\.vtt$|sheet_/.test(path))).toEqual(
    [],
  );
  const scripts = fetched.filter((path) => path.endsWith('.js')).length;

  await link.press('Enter');
  await expect.poll(() => timeIn(page)).toBeGreaterThan(0.5);
  expect(fetched.filter((path) => path.endsWith('.js')).length).toBeGreaterThan(scripts);
  await expect(link).toHaveCount(0);
  const video = playerIn(page).locator('video');
  await video.evaluate((one: HTMLVideoElement) => {
    // The clip may end before a busy machine looks at it.
    one.loop = true;
  });
  const before = await timeIn(page);
  await expect.poll(() => timeIn(page)).not.toBe(before);

  // The player's keys work, because the focus was on the link.
  await page.keyboard.press('k');
  const isPaused = () => video.evaluate((one: HTMLVideoElement) => one.paused);
  await expect.poll(isPaused).toBe(true);
  const { sum, shifted } = await layoutShift(page);
  expect(sum, shifted.join()).toBe(0);
});

test('the picture of the dashboard is that of the theme and the screen, and no other is loaded', async ({
  page,
}) => {
  const fetched: string[] = [];
  page.on('request', (request) => {
    const name = /product-\w+-\w+/.exec(request.url())?.[0];
    if (name) fetched.push(name);
  });
  const loadAt = async (size: { width: number; height: number }) => {
    // A page that is resized loads the picture of its new width.
    await page.goto('about:blank');
    await page.setViewportSize(size);
    fetched.length = 0;
    await page.goto('/');
    const picture = page.getByRole('img', { name: /^The dashboard/ });
    await picture.scrollIntoViewIfNeeded();
    await picture.evaluate((image: HTMLImageElement) => image.decode());
    await page.waitForLoadState('networkidle');
    const { sum, shifted } = await layoutShift(page);
    expect(sum, shifted.join()).toBe(0);
    return fetched.join();
  };
  expect(await loadAt({ width: 1440, height: 900 })).toBe('product-wide-dark');
  await page.evaluate(() => localStorage.setItem('theme', 'light'));
  expect(await loadAt({ width: 390, height: 844 })).toBe('product-narrow-light');
});

test.describe('without a connection', () => {
  test.use({ expectedComplaints: /ERR_INTERNET_DISCONNECTED/ });

  test('the clip can be asked for again', async ({ page, context }) => {
    await page.goto('/');
    const link = page.getByRole('link', { name: /^Play the clip/ });
    await context.setOffline(true);
    const failed = page.waitForEvent('requestfailed', (request) => /embed/.test(request.url()));
    await link.press('Enter');
    await failed;
    await expect(page.locator('iframe')).toHaveCount(0);
    await context.setOffline(false);
    await link.press('Enter');
    await expect.poll(() => timeIn(page)).toBeGreaterThan(0);
  });
});

test.describe('without script', () => {
  test.use({ javaScriptEnabled: false });

  test('the clip’s picture leads to the browser’s own player', async ({ page }) => {
    await page.goto('/');
    const link = page.getByRole('link', { name: /^Play the clip/ });
    await page.goto((await link.getAttribute('href')) ?? '');
    await expect(page.locator('video[controls]')).toBeVisible();
    await expect(page.locator('media-controller')).toBeHidden();
  });
});
