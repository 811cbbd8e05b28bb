import type { Page } from '@playwright/test';
import { fileRows, insertFiles } from '../../support/fixtures/file-rows.ts';
import type { ServerProcess } from '../../support/server/server-process.ts';
import { expect, test } from '../fixtures.ts';
import { expectSound } from '../support/look.ts';
import { enterFull } from '../support/many-files.ts';
import { expectToast } from '../support/toasts.ts';
import { enterBucket, question } from '../support/uploading.ts';

/** Signs up a user and opens the folders of a bucket with files at some paths. */
async function enterFolders(page: Page, server: ServerProcess, paths: string[]) {
  const entered = await enterBucket(page, server);
  const rows = fileRows(entered.bucket.id, paths.length);
  await insertFiles(
    server.dataDir,
    rows.map((row, at) => ({ ...row, path: paths[at] ?? row.path })),
  );
  await page.goto(`/dashboard/files/${entered.bucket.id}?folder=`);
  const act = async (folder: string, action: string) => {
    await page.getByRole('button', { name: `Actions for ${folder}` }).click();
    await page.getByRole('menuitem', { name: action }).click();
  };
  return {
    act,
    link: (name: string) => page.getByRole('link', { name, exact: true }),
    pathsOf: async () => (await entered.files()).map(({ path }) => path).toSorted(),
  };
}

test('folders are created, renamed, moved and deleted', async ({ page, server }) => {
  const { act, link, pathsOf } = await enterFolders(page, server, ['trips/a.jpg', 'trips/b.jpg']);
  await page.getByRole('button', { name: 'New folder' }).click();
  const create = page.getByRole('dialog', { name: 'New folder' });
  const name = page.getByRole('textbox', { name: 'Name', exact: true });
  await expect(name).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(create.getByText('Enter a name.')).toBeVisible();
  await name.fill('a/b');
  await page.keyboard.press('Enter');
  await expect(create.getByText('A name can’t contain a slash.')).toBeVisible();
  await expect(name).toHaveAttribute('aria-invalid', 'true');
  await expectSound(page, create);
  await name.fill('archive');
  await page.keyboard.press('Enter');
  await expectToast(page, 'Folder archive created.');
  await expect(page.getByRole('button', { name: 'New folder' })).toBeFocused();
  await expect(link('archive')).toBeVisible();

  await link('trips').focus();
  await page.keyboard.press('F2');
  await expect(name).toHaveValue('trips');
  await expectSound(page, page.getByRole('dialog', { name: 'Rename folder' }));
  await page.keyboard.type('holidays');
  await page.keyboard.press('Enter');
  await expectToast(page, 'trips was renamed to holidays.');
  await expect(link('holidays')).toBeVisible();
  await expect(link('trips')).toHaveCount(0);
  expect(await pathsOf()).toEqual(['holidays/a.jpg', 'holidays/b.jpg']);

  await act('holidays', 'Move');
  const move = page.getByRole('dialog', { name: 'Move folder' });
  await expectSound(page, move);
  await move.getByLabel('Folder', { exact: true }).fill('holidays/2026');
  await page.keyboard.press('Enter');
  await expect(move.getByText(/A folder can't be moved into itself/)).toBeVisible();
  await move.getByRole('treeitem', { name: 'archive' }).click();
  await expect(move.getByText(/A folder can't be moved into itself/)).toHaveCount(0);
  await move.getByRole('button', { name: 'Move' }).click();
  await expectToast(page, 'holidays was moved to archive.');
  await expect(link('holidays')).toHaveCount(0);
  expect(await pathsOf()).toEqual(['archive/holidays/a.jpg', 'archive/holidays/b.jpg']);

  await page.getByRole('button', { name: 'Grid view' }).click();
  await act('archive', 'Delete');
  const dialog = question(page, 'Delete folder');
  await expect(dialog).toContainText('archive and all files in it will be permanently deleted.');
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await expectToast(page, 'archive was deleted.');
  await expect(page.getByText('This folder is empty.')).toBeVisible();
  expect(await pathsOf()).toEqual([]);
});

test('what a move has left is said, also where its progress could not be loaded', async ({
  page,
  server,
}) => {
  const { act, link, pathsOf } = await enterFolders(page, server, [
    'a/x.jpg',
    'a/y.jpg',
    'b/x.jpg',
  ]);
  const jobs = /\/files\/folder-jobs\/[^/]+\/[^/]+$/;
  await page.route(jobs, (route) => route.fulfill({ status: 429 }));
  await act('a', 'Rename');
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('b');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Its progress can’t be loaded.')).toBeVisible();
  await page.unroute(jobs);
  await expect(page.getByText(/^1 file of a moved\. 1 file left in a: /)).toBeVisible();
  await expectSound(page);
  await page.getByRole('button', { name: 'Show files' }).click();
  const left = page.getByRole('dialog', { name: 'Files that were not moved' });
  await expect(left.getByRole('listitem')).toHaveText(/^a\/x\.jpg\S/);
  await expectSound(page, left);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Dismiss' }).click();
  await expect(page.getByText(/^1 file of a moved/)).toHaveCount(0);
  await expect(link('a')).toBeVisible();
  expect(await pathsOf()).toEqual(['a/x.jpg', 'b/x.jpg', 'b/y.jpg']);

  // A job that runs while the page is loaded again.
  const all = /\/files\/folder-jobs\//;
  await page.route(all, async (route) => {
    const response = await route.fetch();
    const body = (await response.text()).replace('"completed"', '"running"');
    await route.fulfill({ response, body });
  });
  await page.reload();
  await expect(page.getByText(/^Moving a\s+1 file$/)).toBeVisible();
  await expect(page.getByRole('button', { name: 'Stop', exact: true })).toBeVisible();
  await page.unroute(all);
  await expect(page.getByText(/^1 file of a moved\. 1 file left in a: /)).toBeVisible();
  await expect(page.getByRole('button', { name: 'Show files' })).toBeVisible();
});

test('the move of a large folder shows its progress and can be stopped', async ({
  page,
  server,
}) => {
  // A fast server moves some thousand files in a second, and must still be at it when a slow browser stops it.
  const { act, link } = await enterFolders(
    page,
    server,
    Array.from({ length: 10_000 }, (_, at) => `large/${at}.jpg`),
  );
  await act('large', 'Rename');
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('moved');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('status').filter({ hasText: 'Moving large' })).toBeVisible();
  await expect(page.getByText(/Moving large\s+[1-9]/)).toBeVisible();
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await expect(page.getByText(/^Stopped\. [\d,]+ files of large moved\.$/)).toBeVisible();
  await expect(link('moved')).toBeVisible();
  await expect(link('large')).toBeVisible();
});

test('the picture of a card is as wide as the card, whose box shows while it is used', async ({
  page,
  server,
}) => {
  await enterFull(page, server, { count: 8, query: '?view=grid' });
  const card = page.locator('[data-card="1"]');
  const box = page.getByRole('checkbox', { name: /file-00001/ });
  const widths = await card.evaluate((element) => [
    element.clientWidth,
    element.querySelector('canvas')?.getBoundingClientRect().width,
  ]);
  expect(widths[1]).toBeCloseTo(widths[0] ?? 0, 0);
  await expect(box).toHaveCSS('opacity', '0');
  await card.hover();
  await expect(box).toHaveCSS('opacity', '1');
  await page.mouse.move(0, 0);
  await expect(box).toHaveCSS('opacity', '0');
  await box.focus();
  await expect(box).toHaveCSS('opacity', '1');
  await page.keyboard.press('Space');
  await page.getByRole('button', { name: 'Sort by: Date' }).focus();
  await expect(page.getByRole('checkbox', { name: /file-00002/ })).toHaveCSS('opacity', '1');
});
