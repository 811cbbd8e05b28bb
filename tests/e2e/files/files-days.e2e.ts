import { expect, test } from '../fixtures.ts';
import { enterFull, fileLink, tableOf } from '../support/many-files.ts';

test.use({ timezoneId: 'America/Los_Angeles' });

test("a picked day has the files whose rows show it, in the viewer's zone, also in the first HTML", async ({
  page,
  server,
}) => {
  const { path } = await enterFull(page, server, {
    count: 60,
    query: '?from=2026-02-08&to=2026-02-08',
  });
  await page.getByLabel('Search between dates').click();
  const day = page.getByLabel('February 9, 2026', { exact: true });
  await day.click();
  await day.click();
  const query = '?from=2026-02-09&to=2026-02-09&tz=America%2FLos_Angeles';
  await expect(page).toHaveURL(path + query);
  // From midnight to midnight it is 8 to 8 in UTC, and a file is made each hour.
  await expect(tableOf(page)).toHaveAttribute('aria-rowcount', '25');
  await expect(fileLink(page, 5)).toBeVisible();
  await expect(fileLink(page, 4)).toHaveCount(0);
  const shown = await page.locator('tbody time').allTextContents();
  expect(shown.length).toBeGreaterThan(0);
  expect([...new Set(shown.map((text) => text.slice(0, 10)))]).toEqual(['09/02/2026']);

  const field = page.getByLabel('Search between dates');
  await field.fill('8/2/2026 - 2026-02-07');
  await field.press('Enter');
  await expect(page).toHaveURL(/\?from=2026-02-07&to=2026-02-08&tz=/);
  await expect(field).toHaveValue('07/02/2026 – 08/02/2026');
  await field.fill('30/02/2026');
  await page.getByRole('heading', { level: 1 }).click();
  await expect(page.getByRole('alert')).toContainText('Enter one day or two');
  await expect(page).toHaveURL(/\?from=2026-02-07/);
  await field.fill('');
  await field.press('Enter');
  await expect(page).toHaveURL(path);
  await expect(page.getByRole('alert')).toHaveCount(0);

  const html = await (await page.request.get(path + query)).text();
  expect(html.match(/>file-\d+\.\w+</g)).toHaveLength(24);
});
