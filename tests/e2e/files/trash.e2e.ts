import { expect, test } from '../fixtures.ts';
import { expectSound } from '../support/look.ts';
import { enterBucket, question, row } from '../support/uploading.ts';

test('deleted files and earlier versions are kept, restored and deleted for good', async ({
  page,
  server,
}) => {
  const { bucket, token, files } = await enterBucket(page, server);
  const put = async (path: string, text: string) => {
    const form = new FormData();
    form.set('path', path);
    form.set('on_conflict', 'replace');
    form.set('file', new Blob([text]), path);
    const response = await fetch(`${server.url}/files/upload/file/${bucket.id}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: form,
    });
    expect(response.status).toBe(201);
  };

  await page.goto(`/dashboard/settings/${bucket.id}/retention`);
  const days = page.getByLabel('Keep deleted files, days');
  const panel = page.getByRole('region', { name: 'Trash and versions' });
  const save = panel.getByRole('button', { name: 'Save Changes' });
  await days.fill('91');
  await save.click();
  await expect(page.getByText('Enter a whole number from 0 to 90.')).toBeVisible();
  await days.fill('30');
  await page.getByLabel('Keep earlier versions').fill('5');
  await save.click();
  await expect(page.getByText('Trash and versions saved.')).toBeVisible();
  await expectSound(page);

  await put('note.txt', 'old');
  await put('note.txt', 'newer');
  await put('other.txt', 'other');
  await page.goto(`/dashboard/files/${bucket.id}`);
  await row(page, 'note.txt').getByRole('link').click();
  const drawer = page.getByRole('dialog', { name: 'note.txt' });
  await drawer.getByRole('button', { name: /^Restore the version/ }).click();
  await expect(page.getByText('note.txt was restored.')).toBeVisible();
  await expect(drawer).toBeHidden();
  await expect
    .poll(async () => (await files()).find((one) => one.name === 'note.txt')?.size)
    .toBe(3);

  await row(page, 'other.txt').getByRole('link').click();
  await page
    .getByRole('dialog', { name: 'other.txt' })
    .getByRole('button', { name: 'Delete', exact: true })
    .click();
  const dialog = question(page, 'Delete file');
  await expect(dialog).toContainText('will be moved to the trash for 30 days.');
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await expect(row(page, 'other.txt')).toBeHidden();

  await page.getByRole('button', { name: 'Trash', exact: true }).click();
  await expect(page).toHaveURL(/\?trash=1$/);
  await expect(row(page, 'other.txt')).toBeVisible();
  await expectSound(page);
  await put('other.txt', 'taken');
  await page.getByRole('button', { name: 'Restore other.txt' }).click();
  await question(page, 'Restore under another name')
    .getByRole('button', { name: 'Restore' })
    .click();
  await expect(page.getByText('The trash is empty.')).toBeVisible();
  expect((await files()).map(({ path }) => path).toSorted()).toEqual([
    ...['note.txt', 'other (2).txt', 'other.txt'],
  ]);
});
