import { expect, test } from './fixtures.ts';
import { enterFull, fileLink, watchLists } from './support/many-files.ts';

test('a list that stays open is given a new token before its hour is over', async ({
  page,
  server,
}) => {
  await page.clock.install();
  await enterFull(page, server, { count: 6 });
  const asked = watchLists(page);
  // Once this is answered the page is alive.
  const choice = page.getByRole('button', { name: 'Private', exact: true });
  await expect(async () => {
    if ((await choice.getAttribute('aria-pressed')) !== 'true') await choice.click();
    expect(asked).toContain('access=private&cursor=0');
  }).toPass();
  await expect(fileLink(page, 2)).toBeVisible();
  const before = asked.length;
  await page.clock.fastForward('20:00');
  await page.waitForTimeout(200);
  expect(asked.length).toBe(before);
  const answer = page.waitForResponse((one) => one.url().includes('limit=50'));
  await page.clock.fastForward('20:00');
  expect(((await (await answer).json()) as { jwt: string }).jwt).toMatch(
    /^[\w-]+\.[\w-]+\.[\w-]+$/,
  );
  expect(asked.slice(before)).toEqual(['access=private&cursor=0']);
});
