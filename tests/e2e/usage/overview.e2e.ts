import type { Locator, Page } from '@playwright/test';
import { createBucket, uploadImage } from '../../support/client/api.ts';
import { makePhoto } from '../../support/fixtures/make-media.ts';
import type { ServerProcess } from '../../support/server/server-process.ts';
import { expect, test } from '../fixtures.ts';
import { expectHydrated } from '../support/expect-hydrated.ts';
import { holdRequests } from '../support/hold-requests.ts';
import { tabTo } from '../support/keyboard.ts';
import { expectFaultless, expectNothingAside, expectSound } from '../support/look.ts';
import { startSession } from '../support/people.ts';
import { layoutShift } from '../support/shift.ts';

const CHART = '**/buckets/chart/**';
const total = (page: Page) => page.getByText(/^Total /);
const dates = (page: Page) => page.getByLabel('Search between dates');
const bars = (page: Page) => page.locator('[data-bar]');

/** Opens the overview of a bucket with one file that was downloaded once. */
async function openOverview(page: Page, server: ServerProcess, query = '') {
  const { token } = await startSession(page, server);
  const bucket = await createBucket(server, token, 'Harbour');
  const photo = new File([new Uint8Array(await makePhoto())], 'a.jpg', { type: 'image/jpeg' });
  const { url } = await uploadImage(server, bucket, photo);
  await (await fetch(url ?? '')).arrayBuffer();
  const response = await fetch(`${server.url}/buckets/${bucket.id}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const { usage } = (await response.json()) as { usage: number };
  await page.goto(`/dashboard/bucket/${bucket.id}${query}`);
  return { path: `/dashboard/bucket/${bucket.id}`, usage };
}

async function choose(page: Page, label: string, option: string) {
  await page.getByRole('button', { name: new RegExp(`^${label}: `) }).click();
  await page.getByRole('menuitemradio', { name: option, exact: true }).click();
}

test('the total, the bars, their axis and tooltip, and the same values as a table', async ({
  page,
  server,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: server.url });
  const { path, usage } = await openOverview(page, server);
  const today = new Date().toISOString().slice(0, 10);
  const displayed = (usage / 1024).toFixed(2);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Overview');
  await expect(total(page)).toHaveText(`Total Disk-All: ${displayed} KiB`);
  const top = async (of: Locator) => (await of.boundingBox())?.y ?? 0;
  expect(await top(page.getByText('Bandwidth this month'))).toBeLessThan(await top(total(page)));
  const html = await (await page.request.get(path)).text();
  expect(html).toContain(displayed);
  expect(html).toContain(`>${today}<`);

  await expect(bars(page).last()).toBeVisible();
  const box = await page.getByRole('img', { name: /^Disk-All by day, in KiB/ }).boundingBox();
  expect(box?.height).toBe(500);
  const format = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat('en-US', { timeZone: 'UTC', ...options }).format(new Date(today));
  const labels = page
    .getByRole('img', { name: /^Disk-All by day/ })
    .locator('svg text', { hasText: /^[A-Z]/ });
  await expect(labels.last()).toHaveText(format({ month: 'short', day: 'numeric' }));
  const bar = bars(page).last();
  expect(await bar.getAttribute('fill')).toMatch(/^url\(/);
  // What a pointer does before the scripts are there is not repeated.
  await expectHydrated(page, 'overview');
  await bar.hover();
  await expect(page.locator('.chart-tip')).toHaveText(
    `${format({ month: 'long', day: 'numeric', year: 'numeric' })}${displayed} KiB`,
  );

  await page.getByText('Values as a table').click();
  const row = page.getByRole('row').filter({ hasText: today });
  await expect(row.getByRole('cell')).toHaveText(displayed);
  await page.getByRole('button', { name: 'Copy the values' }).click();
  await expect
    .poll(() => page.evaluate(() => navigator.clipboard.readText()))
    .toContain(`Day\tDisk-All, KiB\n${today.slice(0, 8)}01\t`);
});

test('what is chosen is in the URL and asked for, choosing it again clears it, Back goes back, and a failure is said', async ({
  page,
  server,
}) => {
  const { path, usage } = await openOverview(page, server);
  const requests: string[] = [];
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.pathname.startsWith('/buckets/chart/')) requests.push(url.search);
  });
  await expect(bars(page).last()).toBeVisible();
  const depth = () => page.evaluate(() => history.length);
  const before = await depth();
  // The default is selected, although it is not in the URL.
  await choose(page, 'Unit', 'KiB');
  await choose(page, 'Chart data', 'Disk-All');
  await expect(page).toHaveURL(path);
  expect(await depth()).toBe(before);
  expect(requests.filter(Boolean)).toEqual([]);
  requests.length = 0;

  await choose(page, 'Unit', 'Bytes');
  await expect(page).toHaveURL(`${path}?unit=Bytes`);
  await expect(total(page)).toHaveText(`Total Disk-All: ${usage.toLocaleString('en-US')}.00 Bytes`);
  await choose(page, 'Chart data', 'Bandwidth');
  await expect(page).toHaveURL(`${path}?chartType=bandwidth&unit=Bytes`);
  await expect(total(page)).toHaveText(/^Total Bandwidth: [\d,]+\.00 Bytes$/);
  await choose(page, 'Unit', 'Bytes');
  await expect(page).toHaveURL(`${path}?chartType=bandwidth`);
  await expect(total(page)).toHaveText(/^Total Bandwidth: \d+\.\d\d KiB$/);
  await choose(page, 'Chart data', 'Bandwidth');
  await expect(page).toHaveURL(path);
  await expect(total(page)).toHaveText(`Total Disk-All: ${(usage / 1024).toFixed(2)} KiB`);
  expect(requests.slice(0, 3)).toEqual([
    '?unit=Bytes',
    '?chartType=bandwidth&unit=Bytes',
    '?chartType=bandwidth',
  ]);
  expect(requests.slice(3).filter(Boolean)).toEqual([]);

  await page.goBack();
  await expect(page).toHaveURL(`${path}?chartType=bandwidth`);
  await expect(total(page)).toHaveText(/^Total Bandwidth: /);
  await page.reload();
  await expect(total(page)).toHaveText(/^Total Bandwidth: \d+\.\d\d KiB$/);
  await choose(page, 'Chart data', 'Disk-Active');
  await expect(total(page)).toHaveText(`Total Disk-Active: ${(usage / 1024).toFixed(2)} KiB`);

  await page.route(CHART, (route) => route.fulfill({ status: 429, body: '' }));
  const release = await holdRequests(page, CHART);
  await choose(page, 'Unit', 'GiB');
  await expect(page.getByRole('status', { name: 'Loading' })).toBeVisible();
  release();
  await expect(page.getByText('An unexpected error occurred.')).toBeVisible();
  await page.unroute(CHART);
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(total(page)).toHaveText(/^Total Disk-Active: 0\.00 GiB$/);
  await page.goto(`${path}?from=2020-01-01&to=2026-01-01`);
  await expect(page.getByText('An unexpected error occurred.'), 'a range too long').toBeVisible();
});

test('dates without data say so, are cleared, and picked on two months by keyboard', async ({
  page,
  server,
}) => {
  const { path } = await openOverview(page, server, '?from=2026-02-03&to=2026-02-10');
  await expect(dates(page)).toHaveValue('03/02/2026 – 10/02/2026');
  await expect(page.getByText('Values as a table')).toBeVisible();
  await expect(page.getByText('No data for this period.')).toBeVisible();
  await page.getByRole('button', { name: 'Clear dates' }).click();
  await expect(page).toHaveURL(path);
  await expect(bars(page).last()).toBeVisible();
  await expect(page.getByText('No data for this period.')).toBeHidden();
  await expect(dates(page)).toHaveValue('');
  await expect(dates(page)).toHaveAttribute('placeholder', 'Search between dates');

  const calendar = page.locator('.flatpickr-calendar.open');
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'Overview' }).focus();
  await tabTo(page, dates(page));
  await expect(calendar).toBeVisible();
  await expect(calendar.locator('.dayContainer')).toHaveCount(2);
  const column = (day: string) =>
    calendar
      .locator(`[aria-label="${day}"]:not(.hidden)`)
      .evaluate((element: HTMLElement) => element.offsetLeft);
  const first = new Date(Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth(), 1));
  const label = (at: Date) =>
    at.toLocaleDateString('en-US', {
      month: 'long',
      day: 'numeric',
      year: 'numeric',
      timeZone: 'UTC',
    });
  // The months are the last one and this one: nothing is in the future.
  await expect(calendar.locator('.cur-month')).toHaveText(
    [new Date(first.getTime() - 1), first].map((at) =>
      at.toLocaleDateString('en-US', { month: 'long', timeZone: 'UTC' }),
    ),
  );
  const week = new Date(first.getTime() + 7 * 86_400_000);
  expect(await column(label(first))).toBe(await column(label(week)));

  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Control+ArrowLeft');
  await page.keyboard.press('Enter');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await expect(calendar).toBeHidden();
  await expect(page).toHaveURL(/\?from=\d{4}-\d\d-01&to=\d{4}-\d\d-02$/);
  await expect(dates(page)).toHaveValue(/^01\/\d\d\/\d{4} – 02\/\d\d\/\d{4}$/);
  await page.goBack();
  await expect(dates(page)).toHaveValue('');

  const week7 = page.getByRole('button', { name: '7 days', exact: true });
  await week7.click();
  await expect(page).toHaveURL(/\?from=\d{4}-\d\d-\d\d&to=\d{4}-\d\d-\d\d$/);
  await expect(week7).toHaveAttribute('aria-pressed', 'true');
  await page.getByText('Values as a table').click();
  await expect(page.getByText('7 days', { exact: true })).toHaveCount(2);
  await week7.click();
  await expect(page).toHaveURL(path);
});

test('nothing shifts while the chart arrives, all is sound, and an open calendar takes as many months as have room', async ({
  page,
  server,
}) => {
  const { path } = await openOverview(page, server);
  for (const width of [390, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    await page.goto(path);
    await expect(bars(page).last()).toBeVisible();
    const { sum, shifted } = await layoutShift(page);
    expect(sum, `${width} px: ${shifted.join()}`).toBe(0);
  }
  await page.getByText('Values as a table').click();
  // The focus loads the calendar, which has to know its size before it takes its place.
  await dates(page).focus();
  const calendar = page.locator('.flatpickr-calendar.open');
  await expect(calendar).toBeInViewport({ ratio: 1 });
  const widthOf = async () => (await calendar.boundingBox())?.width;
  await expect(calendar.locator('.dayContainer')).toHaveCount(2);
  await expectSound(page);
  await expectFaultless(page.locator('html'));
  await expect(calendar.locator('[aria-label]:not([role])')).toHaveCount(2);
  const wide = await widthOf();
  for (const width of [390, 640]) {
    await page.setViewportSize({ width, height: 900 });
    await expect(calendar.locator('.dayContainer')).toHaveCount(1);
    await expectNothingAside(page);
    await page.setViewportSize({ width: 1440, height: 900 });
    await expect(calendar.locator('.dayContainer')).toHaveCount(2);
    await expect.poll(widthOf).toBe(wide);
  }
});
