import { createBucketId } from '../../support/client/api.ts';
import { expect, test } from '../fixtures.ts';
import { queriesOf } from '../support/buckets.ts';
import { giveSession } from '../support/people.ts';

const COUNT = 100_000;
/** The server sends at most 50 rows at a time, which would make this a test of two thousand requests. */
const PAGE = 10_000;

test('a change in a list of 100,000 reloads its first page and that which is seen', async ({
  page,
  server,
  admin,
}) => {
  await createBucketId(server, admin.token, 'Pier');
  await giveSession(page, server, admin);
  const response = await page.request.get('/admin/buckets?limit=1', {
    headers: { authorization: `Bearer ${admin.token}` },
  });
  const [sample] = (await response.json()).data;
  let banned = '';
  const isList = ({ pathname }: URL) => pathname === '/admin/buckets';
  await page.route(isList, async (route) => {
    if (route.request().isNavigationRequest()) return route.fallback();
    const cursor = new URL(route.request().url()).searchParams.get('cursor');
    const from = cursor === '0' ? 0 : COUNT - Number(cursor) + 1;
    const data = Array.from({ length: PAGE }, (_, index) => {
      const id = idOf(from + index);
      const status = id === banned ? 'banned' : 'active';
      return { ...sample, id, name: `Pier ${from + index}`, status };
    });
    const isLast = from + PAGE >= COUNT;
    await route.fulfill({ json: { data, nextId: isLast ? null : idOf(from + PAGE - 1) } });
  });
  await page.route('**/admin/buckets/*/ban', (route) => {
    banned = new URL(route.request().url()).pathname.split('/')[3] ?? '';
    return route.fulfill({ status: 204 });
  });

  await page.goto('/admin/buckets');
  await page.getByRole('searchbox').fill('Pier');
  const menuOf = (at: number) =>
    page.getByRole('button', { name: `Actions for Pier ${at}`, exact: true });
  await menuOf(0).focus();
  // One press loads 20,000 rows, being near the end some by itself, and a press while rows are loaded does nothing.
  await expect(async () => {
    await page.keyboard.press('End');
    await expect(menuOf(COUNT - 1)).toBeFocused({ timeout: 1000 });
  }).toPass();

  const queries = queriesOf(page, '/admin/buckets');
  await page.keyboard.press('Enter');
  await page.getByRole('menuitem', { name: 'Ban' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Ban' }).click();
  await expect(page.getByRole('dialog')).toBeHidden();
  const last = page.getByRole('row').filter({ hasText: `Pier ${COUNT - 1}` });
  await expect(last).toContainText('Banned');
  await expect(menuOf(COUNT - 1)).toBeInViewport();
  expect(banned).toBe(idOf(COUNT - 1));
  const cursors = queries.map((query) => new URLSearchParams(query).get('cursor'));
  expect(cursors.toSorted()).toEqual([idOf(COUNT - PAGE - 1), '0'].toSorted());
  expect(await page.getByRole('row').count()).toBeLessThan(60);
});

/** Ids sort by time, and the newest bucket is the first. */
const idOf = (at: number) => String(COUNT - at).padStart(26, '0');
