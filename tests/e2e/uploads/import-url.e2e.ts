import { startFileSource } from '../../support/services/file-source.ts';
import { expect, test } from '../fixtures.ts';
import { expectSound } from '../support/look.ts';
import { expectToast } from '../support/toasts.ts';
import { dialogOf, enterBucket, row } from '../support/uploading.ts';

let source: Awaited<ReturnType<typeof startFileSource>>;
test.beforeAll(async () => {
  source = await startFileSource();
});
test.afterAll(() => source.stop());

test('a file is imported from a URL, can be stopped, and a refusal stands below the URL', async ({
  page,
  server,
}) => {
  await enterBucket(page, server);
  await page.getByRole('button', { name: 'Upload', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Import from URL' }).click();
  const dialog = dialogOf(page);
  const url = dialog.getByLabel('URL', { exact: true });
  const start = dialog.getByRole('button', { name: 'Import', exact: true });
  await start.click();
  await expect(dialog.getByRole('alert')).toHaveText('Enter the URL of a file.');
  await url.fill(`${source.url}/missing.txt`);
  await expect(dialog.getByRole('alert')).toBeHidden();
  await start.click();
  await expect(dialog.getByRole('alert')).toHaveText(
    'The file could not be downloaded. The server responded with 404.',
  );
  await expectSound(page, dialog);

  const slow = source.serveSlowly('/slow.txt', Buffer.alloc(8192, 'a'));
  await url.fill(slow.url);
  await start.click();
  await expect(dialog.getByRole('status')).toBeVisible();
  await expect.poll(() => slow.requests.length).toBe(1);
  await expectSound(page, dialog);
  await dialog.getByRole('button', { name: 'Stop' }).click();
  await expect(dialog.getByRole('status')).toBeHidden();
  await slow.requests[0];
  await expect(dialog.getByRole('alert')).toBeHidden();

  await url.fill(source.serve('/harbour.txt', 'Read me.'));
  await url.press('Enter');
  await expectToast(page, 'File imported.');
  await expect(dialog).toBeHidden();
  await expect(row(page, 'harbour.txt')).toBeVisible();
});
