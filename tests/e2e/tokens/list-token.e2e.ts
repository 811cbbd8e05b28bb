import { expect, test } from '../fixtures.ts';
import { roundTrip } from '../support/expect-hydrated.ts';
import { enterFull, fileLink, watchLists } from '../support/many-files.ts';

test('a list that stays open is given a new token before its hour is over', async ({
  page,
  server,
}) => {
  await page.clock.install();
  await enterFull(page, server, { count: 6 });
  const queries = watchLists(page);
  await page.getByRole('button', { name: 'Private', exact: true }).click();
  await expect.poll(() => queries).toContain('access=private&cursor=0');
  await expect(fileLink(page, 2)).toBeVisible();
  const before = queries.length;
  await page.clock.fastForward('20:00');
  await roundTrip(page);
  expect(queries.length).toBe(before);
  const response = page.waitForResponse((one) => one.url().includes('limit=50'));
  await page.clock.fastForward('20:00');
  expect(((await (await response).json()) as { jwt: string }).jwt).toMatch(
    /^[\w-]+\.[\w-]+\.[\w-]+$/,
  );
  expect(queries.slice(before)).toEqual(['access=private&cursor=0']);
});
