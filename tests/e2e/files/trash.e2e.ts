import { expect, test } from '../fixtures.ts';
import { expectSound } from '../support/look.ts';
import { expectToast } from '../support/toasts.ts';
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
  await expectToast(page, 'Trash and versions saved.');
  await expectSound(page);

  await put('note.txt', 'old');
  await put('note.txt', 'newer');
  await put('note.txt', 'newest');
  await put('other.txt', 'other');
  await page.goto(`/dashboard/files/${bucket.id}`);
  await row(page, 'note.txt').getByRole('link').click();
  const drawer = page.getByRole('dialog', { name: 'note.txt' });
  const versions = drawer.getByRole('region', { name: 'Earlier versions' }).getByRole('listitem');
  await expect(versions).toHaveCount(2);
  await versions
    .first()
    .getByRole('button', { name: /^Delete the version/ })
    .click();
  await question(page, 'Delete version').getByRole('button', { name: 'Delete' }).click();
  await expect(versions).toHaveCount(1);
  await expectSound(page, drawer);
  await drawer.getByRole('button', { name: /^Restore the version/ }).click();
  await expectToast(page, 'note.txt was restored.');
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
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(row(page, 'other.txt')).toBeVisible();
  await page.getByRole('checkbox', { name: 'Select other.txt' }).press('Delete');
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

test('keys select files of a long trash, which are restored under other names or deleted', async ({
  page,
  server,
}) => {
  const { bucket, token, files } = await enterBucket(page, server);
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const call = async (method: string, path: string, body?: unknown) => {
    const init = { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) };
    const response = await fetch(`${server.url}${path}`, init);
    expect(response.ok).toBe(true);
    return response.status === 204 ? null : response.json();
  };
  await page.goto(`/dashboard/files/${bucket.id}?trash=1`);
  await expect(page.getByText('This bucket keeps no deleted files.')).toBeVisible();
  await expect(page.getByRole('link', { name: 'Open settings' })).toBeVisible();

  await call('PUT', `/buckets/retention/${bucket.id}`, { keep_deleted_days: 30, keep_versions: 0 });
  const names = Array.from({ length: 60 }, (_, at) => `${String(at).padStart(2, '0')}.txt`);
  const put = async (path: string): Promise<string> => {
    const form = new FormData();
    form.set('path', path);
    form.set('file', new Blob(['x']), path);
    const { authorization } = headers;
    const init = { method: 'POST', headers: { authorization }, body: form };
    const response = await fetch(`${server.url}/files/upload/file/${bucket.id}`, init);
    return (await response.json()).id;
  };
  const ids = [];
  for (const name of names) ids.push(await put(name));
  await call('POST', `/files/bulk/delete/${bucket.id}`, { ids });
  for (const name of ['58.txt', '59.txt']) await put(name);

  await page.reload();
  const table = page.getByRole('region', { name: 'Deleted files' });
  const box = (name: string) => table.getByRole('checkbox', { name: `Select ${name}` });
  const bar = page.getByRole('toolbar', { name: 'Selected files' });
  await expect(box('59.txt')).toBeVisible();
  expect(await table.getByRole('row').count()).toBeLessThan(50);
  await box('59.txt').focus();
  await page.keyboard.press('Space');
  await expect(bar).toContainText('1 selected');
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Shift+ArrowDown');
  await expect(bar).toContainText('3 selected');
  await expect(box('57.txt')).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(bar).toBeHidden();
  await page.keyboard.press('Delete');
  await question(page, 'Delete permanently').getByRole('button', { name: 'Delete' }).click();
  await expect(box('57.txt')).toBeHidden();
  await box('59.txt').focus();
  // The end of what is loaded loads more.
  await expect
    .poll(async () => {
      await page.keyboard.press('End');
      return box('00.txt').isVisible();
    })
    .toBe(true);
  await expect(box('00.txt')).toBeFocused();
  await page.keyboard.press('Control+a');
  await expect(bar).toContainText('59 selected');
  await expectSound(page);

  await bar.getByRole('button', { name: 'Restore' }).click();
  const dialog = question(page, 'Restore under other names');
  await expect(dialog).toContainText('Other files are at the paths of 2 files now.');
  await dialog.getByRole('button', { name: 'Restore' }).click();
  await expect(page.getByText('The trash is empty.')).toBeVisible();
  const paths = (await files()).map(({ path }) => path);
  expect(paths).toContain('58 (2).txt');
  expect(paths).toContain('59 (2).txt');
  expect(paths).not.toContain('57.txt');
});

test.describe('without a connection', () => {
  test.use({ expectedComplaints: /ERR_FAILED/ });

  test('a part of the page whose code fails to load says so, and is loaded when it is tried again', async ({
    page,
    server,
  }) => {
    const { bucket } = await enterBucket(page, server);
    const scripts = '**/assets/chunk-*.js';
    // The page has its code by now, and nothing has been pointed at.
    await page.goto(`/dashboard/files/${bucket.id}`, { waitUntil: 'networkidle' });
    await page.route(scripts, (route) => route.abort());
    await page.getByRole('button', { name: 'Trash', exact: true }).focus();
    await page.keyboard.press('Enter');
    const failure = page.getByRole('alert').filter({ hasText: 'The trash could not be loaded.' });
    await expect(failure).toBeVisible();
    await expectSound(page);
    await page.unroute(scripts);
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(scripts, async (route) => {
      await released;
      await route.continue();
    });
    const retry = failure.getByRole('button', { name: 'Try again' });
    await retry.click();
    await expect(retry).toHaveAttribute('aria-busy', 'true');
    await expect(retry).toBeFocused();
    release();
    await expect(page.getByText('This bucket keeps no deleted files.')).toBeVisible();
  });
});
