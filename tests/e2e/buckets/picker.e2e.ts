import type { Page } from '@playwright/test';
import { createBucketId } from '../../support/client/api.ts';
import { expect, test } from '../fixtures.ts';
import {
  enterWith,
  list,
  numbered,
  option,
  panel,
  queriesOf,
  search,
  trigger,
} from '../support/buckets.ts';
import { pauseClock } from '../support/clock.ts';
import { roundTrip } from '../support/expect-hydrated.ts';
import { holdRequests, placesOf } from '../support/hold-requests.ts';
import { press, pressTogether } from '../support/keyboard.ts';
import { expectSound } from '../support/look.ts';

const LIST = '**/buckets?*';
/** The option that screen readers announce: the combobox references it while it keeps the focus. */
const active = (page: Page) =>
  search(page).evaluate(
    (input) =>
      document.getElementById(input.getAttribute('aria-activedescendant') ?? '')?.firstChild
        ?.textContent ?? null,
  );

test('the picker finds a bucket and goes there by keyboard alone, and marks the one it is on', async ({
  page,
  server,
}) => {
  const { ids } = await enterWith(page, server, ['Harbour', 'Quay', 'Summer photos']);
  await page.goto('/profile');
  await expect(trigger(page)).toHaveText('Select Bucket');
  await press(page, trigger(page));
  await expect(search(page)).toBeFocused();
  await expect(search(page)).toHaveAttribute('placeholder', 'Search Bucket');
  await expect(list(page).getByRole('option')).toHaveCount(3);
  await expect(list(page).locator('[aria-selected=true]')).toHaveCount(0);

  await expect.poll(() => active(page)).toBe('Summer photos');
  for (const [key, name] of [
    ['ArrowDown', 'Quay'],
    ['ArrowDown', 'Harbour'],
    ['ArrowDown', 'Summer photos'],
    ['ArrowUp', 'Harbour'],
    ['Home', 'Summer photos'],
    ['End', 'Harbour'],
  ] as const) {
    await page.keyboard.press(key);
    expect(await active(page), key).toBe(name);
  }
  await expect(search(page)).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(`/dashboard/bucket/${ids.Harbour}`);

  await expect(trigger(page)).toHaveText(/Harbour/);
  await press(page, trigger(page));
  await expect(option(page, 'Harbour')).toHaveAttribute('aria-selected', 'true');
  await expect(list(page).locator('[aria-selected=true]')).toHaveCount(1);
  await expect.poll(() => active(page)).toBe('Harbour');
  await page.keyboard.press('Escape');
  await expect(panel(page)).toBeHidden();
  await expect(trigger(page)).toBeFocused();
});

test('a list that can not be had is tried again; what is typed is asked for once, after 800 ms, or at once by Enter', async ({
  page,
  server,
}) => {
  await page.clock.install();
  const { ids } = await enterWith(page, server, ['Summer photos', 'Winter photos', 'Quay']);
  await page.goto(`/dashboard/bucket/${ids.Quay}`);
  await page.route(LIST, (route) => route.fulfill({ status: 429, body: '' }));
  await press(page, trigger(page));
  await expect(panel(page).getByText('An unexpected error occurred.')).toBeVisible();
  await page.unroute(LIST);
  await panel(page).getByRole('button', { name: 'Try again' }).click();
  await expect(option(page, 'Quay')).toBeVisible();
  await search(page).focus();
  const queries = queriesOf(page, '/buckets');
  await pauseClock(page);
  await page.keyboard.type('photos summer');
  await page.clock.runFor(799);
  await roundTrip(page);
  expect(queries).toEqual([]);
  await page.clock.resume();
  await expect(list(page).getByRole('option')).toHaveText([/^Summer photos/]);
  expect(queries).toEqual(['?cursor=0&limit=50&name=photos%26summer&from=&to=']);
  expect(await active(page)).toBe('Summer photos');

  await page.keyboard.press('Control+A');
  await page.keyboard.type('nothing of the kind');
  await expect(panel(page).getByText('No buckets to diplay.')).toBeVisible();
  await page.keyboard.press('Enter');
  await pressTogether(page, ['Escape', 'Enter']);
  await expect(search(page)).toHaveValue('');
  await expect(list(page).getByRole('option')).toHaveCount(3);
  await page.keyboard.type('winter');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(`/dashboard/bucket/${ids['Winter photos']}`);
});

test('the picker loads fifty at a time, keeps its height from ten buckets on, and knows the rest of the way', async ({
  page,
  server,
}) => {
  const { ids } = await enterWith(page, server, numbered(9));
  await page.goto(`/dashboard/bucket/${ids['Berth 01']}`);
  const height = async () => (await list(page).boundingBox())?.height;
  await trigger(page).click();
  await expect(list(page).getByRole('option')).toHaveCount(9);
  const rows = (await option(page, 'Berth 01').boundingBox())?.height ?? 0;
  await expect.poll(height).toBe(Math.min(9 * rows, 288));
  const { token } = await page.evaluate(() => ({
    token: JSON.parse(localStorage.getItem('auth') ?? '{}').access as string,
  }));
  for (const name of numbered(55).slice(9)) await createBucketId(server, token, name);
  await page.reload();
  const queries = queriesOf(page, '/buckets');
  await trigger(page).click();
  await expect(list(page).getByRole('option')).toHaveCount(50);
  await expect.poll(height).toBe(288);
  await expect.poll(() => active(page)).toBe('Berth 55');
  await page.keyboard.press('End');
  await expect(list(page).getByRole('option')).toHaveCount(55);
  expect(queries).toHaveLength(2);
  expect(queries[1]).toMatch(/^\?cursor=[0-9a-z]{26}&limit=50/);
  await expect(option(page, 'Berth 01')).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('End');
  await expect.poll(() => active(page)).toBe('Berth 01');
  await expect(option(page, 'Berth 01')).toBeInViewport();
  await page.setViewportSize({ width: 390, height: 844 });
  const box = await panel(page).boundingBox();
  expect(box?.x).toBeGreaterThanOrEqual(0);
  expect((box?.x ?? 0) + (box?.width ?? 999)).toBeLessThanOrEqual(390);
  await expectSound(page, panel(page));
});

test('a bucket is made from the picker, which then has it; leaving the dialog comes back', async ({
  page,
  server,
}) => {
  const { ids } = await enterWith(page, server, ['Harbour']);
  const tellBuckets = await holdRequests(page, LIST);
  await page.goto(`/dashboard/settings/${ids.Harbour}`);
  await press(page, trigger(page));
  const create = panel(page).getByRole('button', { name: 'Create bucket' });
  const before = await placesOf(create);
  tellBuckets();
  await expect(option(page, 'Harbour')).toBeVisible();
  expect(await placesOf(create)).toEqual(before);
  await press(page, create);
  const dialog = page.getByRole('dialog', { name: 'Create Bucket' });
  await expect(dialog.getByLabel('Name')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await expect(trigger(page)).toBeFocused();

  await press(page, trigger(page));
  await press(page, create);
  await dialog.getByLabel('Name').fill('Quay');
  // The server has one region.
  await expect(dialog.getByText('Location hint')).toHaveCount(0);
  await dialog.getByRole('button', { name: 'Create', exact: true }).click();
  await expect(dialog).toBeHidden();
  await expect(option(page, 'Quay')).toBeVisible();
  await press(page, create);
  await expect(dialog.getByLabel('Name')).toHaveValue('');
  await page.keyboard.press('Escape');
  await press(page, trigger(page));
  await option(page, 'Quay').click();
  await expect(trigger(page)).toHaveText(/Quay/);
});
