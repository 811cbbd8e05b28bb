import { expect, test } from '../fixtures.ts';
import { enterWith, numbered, queriesOf } from '../support/buckets.ts';
import { pauseClock } from '../support/clock.ts';
import { roundTrip } from '../support/expect-hydrated.ts';
import { holdRequests } from '../support/hold-requests.ts';
import { tabTo } from '../support/keyboard.ts';

const LIST = '**/buckets?*';

test('the filters of the bucket list are in the URL and in the first HTML, and Back goes back', async ({
  page,
  server,
}) => {
  await page.clock.install();
  await enterWith(page, server, ['Summer photos', 'Winter photos', 'Quay']);
  await page.goto('/dashboard');
  const cards = page.locator('main').getByRole('listitem');
  const field = page.getByRole('searchbox', { name: 'Search buckets' });
  await expect(cards).toHaveCount(3);
  for (const figure of ['Available', 'Usage', '0.00 KiB', 'Files', 'Bandwidth']) {
    await expect(cards.first()).toContainText(figure);
  }
  const queries = queriesOf(page, '/buckets');
  await tabTo(page, field);
  await pauseClock(page);
  await page.keyboard.type('summer  photos ');
  await page.clock.runFor(799);
  await roundTrip(page);
  expect(queries).toEqual([]);
  await page.clock.resume();
  await expect(cards).toHaveCount(1);
  await expect(page).toHaveURL('/dashboard?name=summer+photos');
  expect(queries).toEqual(['?cursor=0&limit=50&name=summer%26photos&from=&to=']);
  await expect(field).toHaveValue('summer  photos ');
  await page.goBack();
  await expect(page).toHaveURL('/dashboard');
  await expect(field).toHaveValue('');
  await expect(cards).toHaveCount(3);
  await page.goForward();
  await expect(field).toHaveValue('summer photos');
  await expect(cards).toHaveCount(1);

  const dayAt = (time: number) => new Date(time).toISOString().slice(0, 10);
  const [today, before] = [dayAt(Date.now()), dayAt(Date.now() - 86_400_000)];
  const displayed = (day: string) => day.split('-').reverse().join('/');
  const filtered = `/dashboard?name=photos&from=${before}&to=${today}`;
  const html = await (await page.request.get(filtered)).text();
  expect(html).toContain('Winter photos');
  expect(html).not.toContain('Quay');
  await page.goto(filtered);
  const dates = page.getByLabel('Search between dates');
  await expect(dates).toHaveValue(`${displayed(before)} – ${displayed(today)}`);
  await expect(cards).toHaveCount(2);
  await page.getByRole('button', { name: 'Clear dates' }).click();
  await expect(page).toHaveURL('/dashboard?name=photos');

  await page.goto('/dashboard?from=2020-01-01&to=2020-02-01');
  await expect(page.getByText('No buckets to diplay.')).toBeVisible();
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await expect(page).toHaveURL('/dashboard');
  await expect(cards).toHaveCount(3);
});

test('a list of many buckets grows as it is scrolled; a search shows that it loads, fails in words, and is tried again', async ({
  page,
  server,
}) => {
  await enterWith(page, server, numbered(53));
  await page.goto('/dashboard');
  const cards = page.locator('main').getByRole('listitem');
  await expect(cards).toHaveCount(50);
  await expect(page.getByText('50+ buckets')).toBeVisible();
  await page.mouse.wheel(0, 20_000);
  await expect(cards).toHaveCount(53);
  await expect(page.getByText('53 buckets')).toBeVisible();

  await page.route(LIST, (route) => route.fulfill({ status: 429, body: '' }));
  const release = await holdRequests(page, LIST);
  await page.getByRole('searchbox', { name: 'Search buckets' }).fill('berth 07');
  await expect(page.getByRole('status', { name: 'Loading' })).toBeVisible();
  // The old cards stay, dimmed.
  const list = page.locator('main [aria-busy=true]').filter({ has: page.getByRole('listitem') });
  await expect(list).toHaveCSS('opacity', '0.5');
  release();
  await expect(page.getByText('An unexpected error occurred.')).toBeVisible();
  await page.unroute(LIST);
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(cards).toHaveCount(1);
});
