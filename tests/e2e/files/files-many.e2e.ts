import type { Page } from '@playwright/test';
import { expect, test } from '../fixtures.ts';
import { enterFull, fileLink } from '../support/many-files.ts';

const COUNT = 100_000;
/** The server sends at most 50 files at a time, which would make this a test of two thousand requests. */
const PAGE = 10_000;

test('a grid of 100,000 files has few cards in the page, and is scrolled as a small one is', async ({
  page,
  server,
}) => {
  const { bucket, path } = await enterFull(page, server, { count: 60 });
  const response = await page.request.get(`/files/${bucket.id}?limit=1`, {
    headers: { authorization: `Bearer ${await readToken(page)}` },
  });
  const [sample] = (await response.json()).data;
  const isList = ({ pathname }: URL) => pathname === `/files/${bucket.id}`;
  await page.route(isList, async (route) => {
    const cursor = new URL(route.request().url()).searchParams.get('cursor');
    const from = cursor === '0' ? 0 : COUNT - Number(cursor) + 1;
    const data = Array.from({ length: PAGE }, (_, index) => {
      const name = `file-${String(from + index).padStart(5, '0')}.jpg`;
      return { ...sample, id: idOf(from + index), name, path: name, thumbhash: null };
    });
    const isLast = from + PAGE >= COUNT;
    const nextId = isLast ? null : idOf(from + PAGE - 1);
    await route.fulfill({ json: { data, nextId, total: COUNT, jwt: '' } });
  });
  await page.goto(`${path}?view=grid&access=public`);
  await page.getByRole('button', { name: 'Public' }).click();
  await expect(page.getByText('100,000 files', { exact: true })).toBeVisible();
  const cards = page.locator('[data-card]');
  await fileLink(page, 0).focus();
  await expect
    .poll(async () => {
      await page.keyboard.press('End');
      return fileLink(page, COUNT - 1).count();
    })
    .toBe(1);
  await expect(fileLink(page, COUNT - 1)).toBeFocused();
  await expect(fileLink(page, COUNT - 1)).toBeInViewport();
  expect(await cards.count()).toBeLessThan(120);
  const box = page.getByRole('region', { name: 'Files in this bucket' });
  for (const part of [0.5, 0.123, 0.999]) {
    await box.evaluate((it, part) => it.scrollTo(0, it.scrollHeight * part), part);
    const seen = () => cards.first().evaluate((it) => Number(it.dataset.card));
    await expect.poll(async () => Math.abs((await seen()) / COUNT - part)).toBeLessThan(0.01);
    expect(await cards.count()).toBeLessThan(120);
  }
});

/** Ids sort by time, and the newest file is the first. */
const idOf = (at: number) => String(COUNT - at).padStart(26, '0');

const readToken = (page: Page) =>
  page.evaluate(() => JSON.parse(localStorage.getItem('auth') ?? '{}').access as string);
