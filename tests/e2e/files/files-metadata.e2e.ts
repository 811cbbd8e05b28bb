import { expect, test } from '../fixtures.ts';
import { expectSound } from '../support/look.ts';
import { expectToast } from '../support/toasts.ts';
import { enterBucket, row } from '../support/uploading.ts';

test('the metadata of a file are edited in its details, and list the files that have them', async ({
  page,
  server,
}) => {
  const { bucket, token, files } = await enterBucket(page, server);
  for (const path of ['note.txt', 'other.txt']) {
    const form = new FormData();
    form.set('path', path);
    form.set('file', new Blob(['text']), path);
    const response = await fetch(`${server.url}/files/upload/file/${bucket.id}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: form,
    });
    expect(response.status).toBe(201);
  }

  await page.goto(`/dashboard/files/${bucket.id}`);
  await row(page, 'note.txt').getByRole('link').click();
  const drawer = page.getByRole('dialog', { name: 'note.txt' });
  await drawer.getByRole('button', { name: 'Add metadata' }).click();
  await drawer.getByLabel('Value 1').fill('Harbour & sea');
  await drawer.getByRole('button', { name: 'Save Changes' }).click();
  await expect(drawer.getByRole('alert')).toHaveText('Enter a name.');
  await drawer.getByLabel('Name 1').fill('project');
  await drawer.getByRole('button', { name: 'Add', exact: true }).click();
  await expectSound(page);
  await drawer.getByLabel('Value 1').press('Enter');
  await expectToast(page, 'Metadata saved.');
  const saved = (await files()).map(({ name, metadata }) => [name, metadata]);
  expect(Object.fromEntries(saved)).toEqual({
    'note.txt': { project: 'Harbour & sea' },
    'other.txt': {},
  });

  await drawer.getByRole('link', { name: 'Harbour & sea' }).click();
  await expect(drawer).toBeHidden();
  await expect(row(page, 'other.txt')).toBeHidden();
  await expect(row(page, 'note.txt')).toBeVisible();
  await page.reload();
  await expect(row(page, 'note.txt')).toBeVisible();
  await expect(row(page, 'other.txt')).toBeHidden();
  await page.getByRole('button', { name: 'Remove the filter project: Harbour & sea' }).click();
  await expect(row(page, 'other.txt')).toBeVisible();
});
