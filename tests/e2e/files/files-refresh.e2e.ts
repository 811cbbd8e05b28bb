import { updateFiles } from '../../support/fixtures/file-rows.ts';
import { expect, test } from '../fixtures.ts';
import { roundTrip } from '../support/expect-hydrated.ts';
import { enterFull, fileLink, watchLists } from '../support/many-files.ts';

test('a list that stays open is refreshed while a file is processed, and not afterwards', async ({
  page,
  server,
}) => {
  await page.clock.install();
  const { rows } = await enterFull(page, server, { count: 6 });
  const ids = [rows[2]?.id ?? ''];
  await updateFiles(server.dataDir, ids, { status: 'processing', playable: 0 });
  const queries = watchLists(page);
  await page.getByRole('button', { name: 'Private', exact: true }).click();
  await expect.poll(() => queries).toContain('access=private&cursor=0');
  await expect(fileLink(page, 2)).toBeVisible();
  await expect(page.getByText('Processing')).toBeVisible();
  await updateFiles(server.dataDir, ids, { status: 'success', playable: 1 });
  await page.clock.fastForward('00:02');
  await expect(page.getByText('Processing')).toBeHidden();

  const before = queries.length;
  await page.clock.fastForward('40:00');
  await roundTrip(page);
  expect(queries.length).toBe(before);
});
