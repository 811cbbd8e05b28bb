import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '../fixtures.ts';
import { expectSound } from '../support/look.ts';
import { enterBucket, openDialog, row, trayRow } from '../support/uploading.ts';

test('a folder is uploaded with the paths of its files, into the open folder', async ({
  page,
  server,
}) => {
  const top = await mkdtemp(join(tmpdir(), 'wharf-folder-'));
  await mkdir(join(top, 'site/img'), { recursive: true });
  await writeFile(join(top, 'site/index.txt'), 'same');
  await writeFile(join(top, 'site/img/index.txt'), 'same');
  const { bucket, files } = await enterBucket(page, server);
  await page.goto(`/dashboard/files/${bucket.id}?folder=old%2F`);
  const dialog = await openDialog(page, 'Files');
  await dialog.getByLabel('Choose a folder').setInputFiles(join(top, 'site'));
  const chosen = dialog.getByRole('list', { name: 'Chosen files' }).getByRole('listitem');
  await expect(chosen).toHaveCount(2);
  await expect(chosen.filter({ hasText: 'site/img/' })).toHaveCount(1);
  await expectSound(page, dialog);
  await dialog.getByRole('button', { name: 'Upload', exact: true }).click();
  await expect(dialog).toBeHidden();
  await expect(trayRow(page, 'Ready.')).toHaveCount(2);
  await expect(row(page, 'site')).toBeVisible();
  const paths = (await files()).map(({ path }) => path);
  expect(paths.toSorted()).toEqual(['old/site/img/index.txt', 'old/site/index.txt']);
  await rm(top, { recursive: true });
});
