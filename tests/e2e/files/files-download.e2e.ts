import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { expect, test } from '../fixtures.ts';
import { expectSound } from '../support/look.ts';
import { enterBucket } from '../support/uploading.ts';

/** Presses what downloads. Returns the name and the bytes of the file that the browser saves. */
async function download(page: Page, press: () => Promise<unknown>) {
  const [saved] = await Promise.all([page.waitForEvent('download'), press()]);
  return { name: saved.suggestedFilename(), bytes: await readFile(await saved.path()) };
}

test('a file is downloaded by its menu, and a selection or a folder as a ZIP of what is in it', async ({
  page,
  server,
}) => {
  const { bucket, token } = await enterBucket(page, server);
  for (const path of ['a.txt', 'b.txt', 'trips/c.txt', 'trips/2026/d.txt']) {
    const form = new FormData();
    form.set('path', path);
    form.set('access', 'private');
    form.set('file', new Blob([`content of ${path}`]), 'a.txt');
    const response = await fetch(`${server.url}/files/upload/file/${bucket.id}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: form,
    });
    expect(response.status).toBe(201);
  }
  await page.goto(`/dashboard/files/${bucket.id}?folder=`);
  const menuOf = (name: string) => page.getByRole('button', { name: `Actions for ${name}` });
  const item = (name: string) => page.getByRole('menuitem', { name, exact: true });

  await menuOf('a.txt').click();
  const file = await download(page, () => item('Download').click());
  expect([file.name, String(file.bytes)]).toEqual(['a.txt', 'content of a.txt']);

  await page.getByRole('checkbox', { name: 'Select a.txt' }).check();
  await page.getByRole('checkbox', { name: 'Select b.txt' }).check();
  await page.getByRole('button', { name: 'More actions for the selected files' }).click();
  await item('Download as ZIP').click();
  const dialog = page.getByRole('dialog', { name: 'Download as ZIP' });
  await expect(dialog).toContainText(/^Download as ZIP2 files, 0\.\d\d KiB\./);
  await expect(dialog).toContainText('The download counts as bandwidth.');
  await expectSound(page, dialog);
  const link = dialog.getByRole('link', { name: 'Download' });
  const some = await download(page, () => link.click());
  await expect(dialog).toBeHidden();
  expect(some.name).toMatch(/\.zip$/);
  // A ZIP of Wharf is not compressed.
  expect(String(some.bytes)).toContain('content of a.txt');
  expect(String(some.bytes)).toContain('content of b.txt');
  expect(String(some.bytes)).not.toContain('content of trips/');

  await page.keyboard.press('Escape');
  await menuOf('trips').click();
  await item('Download as ZIP').click();
  await expect(dialog).toContainText('2 files');
  const folder = await download(page, () => link.click());
  expect(folder.name).toBe('trips.zip');
  expect(String(folder.bytes)).toContain('content of trips/c.txt');
  expect(String(folder.bytes)).toContain('content of trips/2026/d.txt');
  expect(String(folder.bytes)).not.toContain('content of a.txt');
});
