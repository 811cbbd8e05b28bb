import { expect, test } from '../fixtures.ts';
import { expectSound } from '../support/look.ts';
import { enterBucket, openDialog, row } from '../support/uploading.ts';

test('folders are opened and left, and files are uploaded into them', async ({ page, server }) => {
  const { bucket, token, files } = await enterBucket(page, server);
  const put = async (path: string) => {
    const form = new FormData();
    form.set('path', path);
    form.set('file', new Blob(['text']), 'a.txt');
    const response = await fetch(`${server.url}/files/upload/file/${bucket.id}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: form,
    });
    expect(response.status).toBe(201);
  };
  for (const path of ['top.txt', 'trips/2026/a.txt', 'trips/2026/b.txt', 'trips/plan.txt']) {
    await put(path);
  }
  await page.getByRole('button', { name: 'Folders' }).click();
  const table = page.getByRole('region', { name: 'Files in this bucket' });
  await expect(table.getByRole('row')).toHaveCount(3);
  await expectSound(page);
  await table.getByRole('link', { name: 'trips' }).click();
  await expect(page).toHaveURL(/folder=trips%2F$/);
  await table.getByRole('link', { name: '2026' }).press('Enter');
  await expect(table.getByRole('link')).toHaveCount(2);

  const dialog = await openDialog(page, 'Files');
  const notes = { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('Read me.') };
  await dialog.getByLabel('Files', { exact: true }).setInputFiles([notes]);
  await dialog.getByRole('button', { name: 'Upload', exact: true }).click();
  await expect(row(page, 'notes.txt')).toBeVisible();
  expect((await files()).map(({ path }) => path)).toContain('trips/2026/notes.txt');

  const way = page.getByRole('navigation', { name: 'Folder' });
  await expect(way.getByText('2026')).toHaveAttribute('aria-current', 'page');
  await way.getByRole('link', { name: 'trips' }).click();
  await expect(row(page, 'plan.txt')).toBeVisible();
  await page.goBack();
  await expect(row(page, 'notes.txt')).toBeVisible();
  await page.goto(`/dashboard/files/${bucket.id}?folder=nowhere%2F`);
  await expect(page.getByText('This folder is empty.')).toBeVisible();
  await page.getByRole('button', { name: 'Folders' }).click();
  await expect(row(page, 'top.txt')).toBeVisible();
});
